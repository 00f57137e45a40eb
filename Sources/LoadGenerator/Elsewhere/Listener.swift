// One who listens to the relay's broadcasts: subscribes, again where the relay ends it, and says what is heard. Confined
// to its loop.

import Basics
import EventLoop
import HTTP
import Journal
import Net
import Pushes
import Scenarios

/// How observers ask, all of one run.
final class Subscriptions {
    let observers: [ObserverSpec]
    let client: AnswerClient
    private let plan: Plan
    private let driver: RelayDriver

    init(_ plan: Plan, _ client: AnswerClient) {
        self.plan = plan
        self.client = client
        observers = plan.scenario.relay.profile.observers
        driver = RelayDriver(plan.workload, requests: observers.map(\.request))
    }

    /// Throws why it cannot be asked for, in words that hold nothing of the request.
    func open(_ place: Listener.Place, to listener: any AnswerListener) throws(Failure) -> AnswerStream {
        let request = OutgoingRequest()
        let event = PlannedEvent(session: place.session, step: 0, at: .zero, call: place.observer, scriptStep: 0)
        let script = SessionCursor(session: place.session, start: .zero, workload: plan.workload).script
        if let misfit = driver.render(event, script: script, into: request, at: client.recordTime.wall()) {
            throw Failure(.run, misfit)
        }
        return try client.open(request, to: listener)
    }
}

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
        parser = EventStreamParser()
        do throws(Failure) { stream = try subscriptions.open(place, to: self) } catch {
            say(.refused, text: error.message)
            again()
        }
    }

    /// Hears nothing more and says nothing.
    func close() {
        isOver = true
        retry?.cancel()
        stream?.close()
        stream = nil
    }

    private func again() {
        guard !isOver, tries < Self.mostTries else { return }
        retry = loop.after(Self.pause) { [weak self] in self?.subscribe() }
    }

    // MARK: From the stream

    func began(_ stream: AnswerStream, status: Int) {
        isOpen = status == 200
        say(isOpen ? .opened : .refused, text: isOpen ? "" : "status \(status)")
        if !isOpen { lose(nil) }
    }

    func came(_ stream: AnswerStream, _ bytes: Span<UInt8>) {
        guard isOpen else { return }
        let wanted = subscriptions.observers[place.observer].event
        let isReadable = parser.take(bytes) { event in
            if wanted == nil || event.name == wanted { tell(event) }
        }
        if !isReadable { lose("an event is longer than is read") }
        if events >= Self.mostEvents {
            isOver = true
            lose("more events than are kept")
        }
    }

    func ended(_ stream: AnswerStream, _ why: String) {
        self.stream = nil
        if isOpen { say(.closed, text: why) } else { say(.refused, text: why) }
        isOpen = false
        again()
    }

    private func tell(_ event: EventStreamParser.Event) {
        events += 1
        let shown = event.data.prefix(HeardNote.mostBytes)
        say(
            .told, name: event.name, marker: Marker.find(in: event.data.span),
            text: String(decoding: shown, as: UTF8.self))
    }

    /// Ends the subscription from our side.
    private func lose(_ why: String?) {
        stream?.close()
        stream = nil
        if let why { say(.closed, text: why) }
        isOpen = false
        again()
    }

    private func say(_ what: HeardNote.What, name: String = "", marker: Marker? = nil, text: String = "") {
        note(
            HeardNote(
                what, observer: subscriptions.observers[place.observer].name, listener: number, user: place.user,
                session: place.isOfSession ? place.session : nil, name: name, marker: marker, text: text))
    }
}
