// `{"silence": true}`: the push is taken and never answered; the relay's own timeout must end the wait.

import Basics

extension ActionForm {
    static let silence = ActionForm(
        name: "silence", example: "true"
    ) { value, pointer throws(FaultRuleError) in
        guard value == true else {
            throw FaultRuleError(pointer: pointer, message: "silence is true or absent")
        }
        return .silence
    } write: { action in
        action == .silence ? true : nil
    }
}
