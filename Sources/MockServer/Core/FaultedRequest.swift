// A request that met a fault, and what becomes of it: one way for pushes, broadcasts and operations on channels.

import Basics
import EventLoop
import Faults
import HTTP
import Net

/// What carrying out a fault needs to know of the request it met, which is decided and in the journal. Confined to its
/// loop.
protocol FaultedRequest {
    var exchange: ServerExchange { get }
    var peer: any ProviderPeer { get }
    var loop: EventLoop { get }
    var fault: Firing { get }
    /// No answer with a status goes out, not even later.
    var isUnanswered: Bool { get }
    /// Of its success.
    var successStatus: Int { get }
    /// The id in the answer, in 36 characters.
    var id: String { get }

    /// The answer it would have had, or the refusal that the fault is.
    func answer()
    /// Adds the fields that every answer has.
    func identify(isSuccess: Bool)
    /// The exchange is over: nobody waits for it any more. `answer` says so by itself.
    func finish()
}

extension FaultedRequest {
    /// By the instant that is on record, so that nobody has heard of it before its record says so.
    private func answerLater() {
        _ = loop.onClock(at: exchange.arrivedAt + fault.delay) { if exchange.isOpen { answer() } }
    }

    /// Answers it, or does not.
    func carryOutFault() {
        let connection = exchange.connection!
        switch fault.action {
        case .respond where fault.delay > .zero: answerLater()
        case .respond, .refuse: answer()
        case .answer(let lawless): answer(lawless)
        case .silence, .refuseTLS: break
        case .delay: answerLater()
        case .resetStream(let code, let afterHeaders):
            if afterHeaders {
                identify(isSuccess: true)
                exchange.startStreaming(status: successStatus)
                connection.settle()
            }
            finish()
            exchange.reset(code: code)
        case .goAway(let fault):
            connection.carryOut(fault, last: fault.lastStream(of: exchange.streamID))
            if !isUnanswered { answer() }
        case .maxStreams(let fault):
            connection.carryOut(fault)
            answer()
        case .window(let fault):
            connection.carryOut(fault, peer, loop)
            answer()
        case .close(let fault):
            switch fault.moment {
            case .beforeAnswer: break
            case .halfAnswer: connection.sendHalf { answer() }
            case .afterAnswer: answer()
            }
            connection.close(fault.manner.ending)
        case .raw(let fault): carryOut(fault, connection)
        }
    }

    private func answer(_ lawless: LawlessAnswer) {
        finish()
        identify(isSuccess: false)
        let fields = exchange.responseHead
        for field in lawless.headers {
            withBytes(of: field.name) { name in
                withBytes(of: field.value) { fields.append(name: name, value: $0, neverIndexed: false) }
            }
        }
        exchange.respond(status: Int(lawless.status), body: Array(lawless.body.utf8))
    }

    private func carryOut(_ fault: RawFault, _ connection: ServerConnection) {
        let bytes = fault.bytes.bytes(stream: exchange.streamID, apnsID: id)
        switch fault.place {
        case .before:
            connection.sendRaw(bytes)
            answer()
        case .after:
            answer()
            connection.sendRaw(bytes)
        case .instead:
            connection.sendRaw(bytes)
            finish()
            exchange.forget()
        }
    }
}

// MARK: Connections

extension ServerConnection {
    func carryOut(_ fault: GoAwayFault, last: Int32) {
        goAway(code: fault.code, lastStreamID: last, debug: Array(fault.debug.utf8))
        if fault.isTwice { goAway(code: fault.code, lastStreamID: last) }
        if fault.staysOpen { outliveSession() }
    }

    func carryOut(_ fault: StreamsFault) {
        setMaxConcurrentStreams(fault.count, isEnforcedOnceRead: fault.isEnforced)
    }

    func carryOut(_ fault: WindowFault, _ peer: any ProviderPeer, _ loop: EventLoop) {
        if let bytes = fault.initial { setInitialWindow(bytes) }
        guard let withholding = fault.withholding else { return }
        withholdWindowUpdates()
        guard case .lasting(let wait) = withholding else { return }
        peer.plannedFault = loop.onClock(after: wait) { self.releaseWindowUpdates() }
    }
}

extension CloseFault.Manner {
    var ending: ConnectionEnding {
        switch self {
        case .clean: .clean
        case .fin: .cutOff
        case .reset: .reset
        }
    }
}
