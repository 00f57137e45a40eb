// What a fault does. Each action has a file of its own, with its form in JSON; a new one is a case here, a file, and a
// row in `ActionForm.all`.

package import APNs
package import Basics

/// What happens to a push that a rule meets.
package enum FaultAction: Sendable, Equatable {
    /// Refuses with that reason; `timestamp` is for 410 only, and nil means after the registration.
    case respond(Reason, timestamp: RelativeTimestamp?)
    /// Answers later, by so many seconds.
    case delay(Distribution)
    /// Accepts and never answers.
    case silence
}

/// One action's form in JSON: an object with this one member.
struct ActionForm: Sendable {
    let name: String
    let example: String
    /// The member's value and its pointer.
    let read: @Sendable (JSONValue, String) throws(FaultRuleError) -> FaultAction
    /// Nil for other actions.
    let write: @Sendable (FaultAction) -> JSONValue?

    static let all: [ActionForm] = [.respond, .delay, .silence]
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
        for form in ActionForm.all {
            if let value = form.write(self) {
                var object = JSONObject()
                object[form.name] = value
                return .object(object)
            }
        }
        preconditionFailure("an action has no form in JSON")
    }
}
