// What a fault does. Each action has a file of its own, with its form in JSON; a new one is a case here, a file, a row in
// `ActionForm.all` and one in `FaultVocabulary`.

package import APNs
package import Basics

/// What happens to a push, a broadcast or a connection that a rule meets.
package enum FaultAction: Sendable, Equatable {
    /// Refuses with that reason; `timestamp` is for 410 only, and nil means after the registration.
    case respond(Reason, timestamp: RelativeTimestamp?)
    /// The same of what meets broadcasts, whose reasons are a list of their own.
    case refuse(BroadcastReason)
    /// Answers what no rule of APNs would.
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
    /// Pushes that the rules of APNs accept, one by one.
    case push
    /// Connections, once each: before TLS for `refuse-tls`, else after our first SETTINGS.
    case connection
    /// Broadcasts and operations on channels that the rules of APNs accept, one by one.
    case broadcast
}

/// One action's form in JSON: an object with this one member.
struct ActionForm: Sendable {
    let name: String
    let example: String
    /// What it can be done to; the first is what a rule meets that does not say.
    var targets: [FaultTarget] = [.push, .broadcast]
    /// The member's value and its pointer.
    let read: @Sendable (JSONValue, String) throws(FaultRuleError) -> FaultAction
    /// Nil for other actions.
    let write: @Sendable (FaultAction) -> JSONValue?

    static let all: [ActionForm] = [
        .respond, .delay, .silence, .resetStream, .goAway, .maxStreams, .window, .close, .refuseTLS, .raw,
    ]
}

extension FaultAction {
    init(json: JSONValue, at pointer: String) throws(FaultRuleError) {
        let object = try ObjectReader(json, at: pointer, keys: ActionForm.all.map(\.name))
        let forms = ActionForm.all.filter { object[$0.name] != nil }
        guard forms.count == 1, let form = forms.first, let value = object[form.name] else {
            throw FaultRuleError(
                pointer: pointer, message: forms.isEmpty ? "an action is missing" : "a fault has one action",
                hint: "one of " + ActionForm.all.map { #"{"\#($0.name)": \#($0.example)}"# }.joined(separator: ", "))
        }
        self = try form.read(value, object.pointer(form.name))
    }

    var json: JSONValue {
        guard let value = form.write(self) else { preconditionFailure("an action has no form in JSON") }
        var object = JSONObject()
        object[form.name] = value
        return .object(object)
    }

    var form: ActionForm { ActionForm.all.first { $0.name == word }! }

    /// The word for it in rules, such as `goaway`.
    package var word: String { Self.words[Int(code) - 1] }

    /// What stands for it in the journal, from 1; these numbers never change.
    package var code: UInt8 {
        switch self {
        case .respond, .refuse, .answer: 1
        case .delay: 2
        case .silence: 3
        case .resetStream: 4
        case .goAway: 5
        case .maxStreams: 6
        case .window: 7
        case .close: 8
        case .refuseTLS: 9
        case .raw: 10
        }
    }

    /// The word of a code of the journal; nil for 0 and for what this version does not know.
    package static func word(of code: UInt8) -> String? {
        code > 0 && Int(code) <= words.count ? words[Int(code) - 1] : nil
    }

    private static let words = [
        "respond", "delay", "silence", "reset-stream", "goaway", "max-streams", "window", "close", "refuse-tls", "raw",
    ]
}
