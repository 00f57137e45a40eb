// One who listens to the relay's broadcasts, to server-sent events or the messages of a WebSocket: subscribes, again where the
// relay ends it, and says what is heard. Confined to its loop.

import Basics
import EventLoop
import HTTP
import Journal
import Net
import Planning
import Pushes
import Scenarios
import WebSocket

final class Listener: AnswerListener {
    /// For whom somebody listens.
    struct Place {
        /// Index into the profile's observers.
        var observer: Int
        var user: UInt32
        /// The user's first one, where it listens for all of them.
        var session: UInt32
        var isOfSession: Bool
        /// Since the plan's start.
        var start: Interval
    }

    /// From the end of a subscription to the next try.
    private static let pause = Interval.milliseconds(500)
    /// From the switch of protocols to the word that it listens.
    private static let patience = Interval.seconds(10)
    /// Tries of one listener, and events that are put on record of it.
    private static let mostTries = 100
    private static let mostEvents = 100_000

    private let place: Place
    private let number: UInt32
    private let subscriptions: Subscriptions
    private let loop: EventLoop
    private let note: (HeardNote) -> Void
    private var stream: AnswerStream?
    private var parser = EventStreamParser()
    /// Nil: it reads server-sent events.
    private var socket: SocketVoice?
    private var beat: LoopTimer?
    private var isOpen = false
    private var isOver = false
    private var tries = 0
    private var events = 0
    private var retry: LoopTimer?

    init(
        _ place: Place, number: UInt32, _ subscriptions: Subscriptions, _ loop: EventLoop, note: @escaping (HeardNote) -> Void
    ) {
        self.place = place
        self.number = number
        self.subscriptions = subscriptions
        self.loop = loop
        self.note = note
    }

    /// All listeners of a plan, in the order in which they begin.
    static func places(_ plan: Plan) -> [Place] {
        let size = plan.workload.sessionsPerUser
        var places: [Place] = []
        for (number, observer) in plan.scenario.relay.profile.observers.enumerated() {
            for user in 0..<min(plan.accountCount, observer.users) {
                let own = user * size..<min((user + 1) * size, plan.sessionCount)
                for session in observer.per == .user ? own.prefix(1) : own {
                    let id = plan.sessionNumber(session)
                    let place = Place(
                        observer: number, user: plan.account(ofSession: id), session: id, isOfSession: observer.per == .session,
                        start: plan.start(of: session))
                    places += Array(repeating: place, count: observer.copies)
                }
            }
        }
        return Array(places.sorted { $0.start < $1.start }.prefix(ObserverSpec.mostListeners))
    }

    // MARK: Subscribing

    func subscribe() {
        guard !isOver else { return }
        tries += 1
        parser = EventStreamParser(longest: ObserverSpec.longestMessage)
        do throws(Failure) { (stream, socket) = try subscriptions.open(place, to: self) } catch {
            say(.unreached, text: error.message)
            again()
        }
    }

    /// Hears nothing more and says nothing.
    func close() {
        isOver = true
        retry?.cancel()
        hangUp()
    }

    private func again() {
        guard !isOver, tries < Self.mostTries else { return }
        retry = loop.after(Self.pause) { [weak self] in self?.subscribe() }
    }

    private func hangUp() {
        beat?.cancel()
        if let stream, let socket {
            socket.session.close()
            socket.send(on: stream)
        }
        stream?.close()
        (stream, socket, isOpen) = (nil, nil, false)
    }

    /// Ends the subscription from our side.
    private func lose(_ what: HeardNote.What, _ why: String) {
        say(what, text: why)
        hangUp()
        again()
    }

    // MARK: From the stream

    func began(_ stream: AnswerStream, status: Int) {
        guard let socket else { return status == 200 ? open() : lose(.refused, "status \(status)") }
        guard status == 101 else { return lose(.refused, "status \(status) in place of 101, which begins a WebSocket") }
        if let why = socket.objection(to: stream.head) { return lose(.broken, "its answer begins no WebSocket: \(why)") }
        socket.begin()
        socket.send(on: stream)
        guard socket.spec.joined != nil else { return open() }
        beat = loop.after(Self.patience) { [weak self] in
            self?.lose(.refused, "no message within \(Self.patience) says that it listens")
        }
    }

    private func open() {
        isOpen = true
        say(.opened)
        beat?.cancel()
        keepUp()
    }

    /// Sends what keeps the relay from taking it for gone.
    private func keepUp() {
        guard let every = socket?.spec.beat?.every else { return }
        beat = loop.after(every) { [weak self] in
            guard let self, let socket, let stream else { return }
            socket.keepUp()
            socket.send(on: stream)
            keepUp()
        }
    }

    func came(_ stream: AnswerStream, _ bytes: Span<UInt8>) {
        if let socket { return hear(socket, stream, bytes) }
        guard isOpen else { return }
        let isReadable = parser.take(bytes) { tell(name: $0.name, $0.data) }
        if !isReadable { return lose(.closed, "an event is longer than is read") }
        stopAtLimit()
    }

    private func hear(_ socket: SocketVoice, _ stream: AnswerStream, _ bytes: Span<UInt8>) {
        let events = socket.session.receive(bytes)
        socket.send(on: stream)
        for event in events where self.socket === socket {
            switch event {
            case .text(let text) where isOpen: tell(name: socket.name(of: text), text)
            case .text(let text):
                switch socket.letsIn(text) {
                case true?: open()
                case false?: lose(.refused, "a message says that it does not listen")
                case nil: break
                }
            case .binary(let count): lose(.broken, "a binary message, of \(count) bytes")
            case .closed(let code, _):
                lose(isOpen ? .closed : .refused, "the relay said goodbye\(code.map { " with \($0)" } ?? "")")
            case .broken(let code): lose(.broken, SocketVoice.words(of: code))
            }
        }
        stopAtLimit()
    }

    private func stopAtLimit() {
        guard events >= Self.mostEvents, !isOver else { return }
        isOver = true
        lose(.closed, "more events than are kept")
    }

    func ended(_ stream: AnswerStream, _ why: String) {
        (self.stream, socket) = (nil, nil)
        beat?.cancel()
        say(isOpen ? .closed : .unreached, text: why)
        isOpen = false
        again()
    }

    private func tell(name: String, _ data: [UInt8]) {
        let wanted = subscriptions.observers[place.observer].event
        guard wanted == nil || name == wanted else { return }
        events += 1
        let shown = data.prefix(HeardNote.mostBytes)
        say(.told, name: name, marker: Marker.find(in: data.span), text: String(decoding: shown, as: UTF8.self))
    }

    private func say(_ what: HeardNote.What, name: String = "", marker: Marker? = nil, text: String = "") {
        note(
            HeardNote(
                what, observer: subscriptions.observers[place.observer].name, listener: number, user: place.user,
                session: place.isOfSession ? place.session : nil, name: name, marker: marker, text: text))
    }
}
