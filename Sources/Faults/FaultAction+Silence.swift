// `{"silence": true}`: the push is taken and never answered; the relay's own timeout must end the wait.

import Basics

extension ActionRow {
    static let silence = ActionRow(
        3, "silence", "Takes the push and never answers; it reaches no device.",
        "The stream stays open until the client resets it or the connection ends.",
        example: "true",
        rule: #"{"action": {"silence": true}, "match": {"fraction": 0.01}}"#,
        hearing: .nothing, fate: { _, _ in .dropped }
    ) { value, pointer, _ throws(FaultRuleError) in
        guard value == true else {
            throw FaultRuleError(pointer: pointer, message: "silence is true or absent")
        }
        return .silence
    } write: { action in
        action == .silence ? true : nil
    }
}
