// What a fault does. Each action has a file of its own, with its row; a new one is a case here, a file, and its row in
// `ActionRow.all`.

package import Basics
package import Pushes

/// What happens to a push, a broadcast or a connection that a rule meets.
package enum FaultAction: Sendable, Equatable {
    /// Refuses with that reason, so much later; `timestamp` is for 410 only, and nil means after the registration.
    case respond(NamedReason, timestamp: RelativeTimestamp?, delay: Interval = .zero)
    /// The same of what meets broadcasts, whose reasons are a list of their own.
    case refuse(NamedReason)
    /// Answers what no rule of the provider would.
    case answer(LawlessAnswer)
    /// Answers later, by so many seconds.
    case delay(Distribution)
    /// Accepts and never answers.
    case silence
    /// RST_STREAM in place of the answer, or after its HEADERS.
    case resetStream(code: UInt32, afterHeaders: Bool)
    case goAway(GoAwayFault)
    case maxStreams(StreamsFault)
    case window(WindowFault)
    case close(CloseFault)
    case refuseTLS(TLSRefusal)
    case raw(RawFault)
}

/// What a rule meets.
package enum FaultTarget: String, Sendable, CaseIterable {
    /// Pushes that the provider's rules accept, one by one.
    case push
    /// Connections, once each: before TLS for `refuse-tls`, else after our first SETTINGS.
    case connection
    /// Broadcasts and operations on channels that the rules of APNs accept, one by one.
    case broadcast
}

/// Where an action strikes.
package enum FaultStage: Sendable {
    /// A connection, before it has TLS.
    case accept
    /// A connection that speaks HTTP/2, and with it requests that were not met themselves.
    case connection
    /// One request, which is in the journal; no other notices.
    case request
}

/// What becomes of a request that a fault meets. Processed: a push goes on to its device, a broadcast to its channel.
/// Answered: a status goes out, its own or the fault's.
package enum RequestFate: Sendable {
    /// The fault is its answer.
    case refused
    /// As if it had never come.
    case dropped
    case processed
    /// Processed, and its answer does not come whole.
    case cutOff

    package var isProcessed: Bool { self == .processed || self == .cutOff }
    package var isAnswered: Bool { self == .processed || self == .refused }
}

/// What a push that an action meets hears of it.
package enum FaultHearing: Sendable {
    /// An answer: the provider's own, or the fault's.
    case answer
    /// The end of its stream, or of its connection.
    case end
    case nothing
}

extension FaultAction {
    init(json: JSONValue, at pointer: String) throws(FaultRuleError) {
        let object = try ObjectReader(json, at: pointer, keys: ActionRow.all.map(\.name))
        let rows = ActionRow.all.filter { object[$0.name] != nil }
        guard rows.count == 1, let row = rows.first, let value = object[row.name] else {
            throw FaultRuleError(
                pointer: pointer, message: rows.isEmpty ? "an action is missing" : "a fault has one action",
                hint: "one of " + ActionRow.all.map { #"{"\#($0.name)": \#($0.example)}"# }.joined(separator: ", "))
        }
        self = try row.read(value, object.pointer(row.name), row.keys)
    }

    var json: JSONValue {
        guard let value = row.write(self) else { preconditionFailure("an action has no form in JSON") }
        var object = JSONObject()
        object[row.name] = value
        return .object(object)
    }

    var row: ActionRow {
        switch self {
        case .respond, .refuse, .answer: .respond
        case .delay: .delay
        case .silence: .silence
        case .resetStream: .resetStream
        case .goAway: .goAway
        case .maxStreams: .maxStreams
        case .window: .window
        case .close: .close
        case .refuseTLS: .refuseTLS
        case .raw: .raw
        }
    }

    /// The word for it in rules, such as `goaway`.
    package var word: String { row.name }

    /// What stands for it in the journal, from 1; these numbers never change.
    package var code: UInt8 { row.code }

    /// The word of a code of the journal; nil for 0 and for what this version does not know.
    package static func word(of code: UInt8) -> String? { ActionRow.all.first { $0.code == code }?.name }

    package var stage: FaultStage { row.stage }

    package var hearing: FaultHearing { row.hearing }

    /// A connection does not outlive it.
    package var endsConnection: Bool { row.endsConnection }

    /// What becomes of a request on that stream.
    package func fate(ofStream stream: Int32) -> RequestFate { row.fate(self, stream) }
}
