// What is lawful in a profile and hardly meant: told before anything is run, and no mistake.

import Basics
import Pushes
import Schemas
import YAML

struct ProfileDoubts {
    let profile: Profile
    let mistakes: Mistakes

    func look(at fields: Fields) {
        if let node = fields.value("passes") { lookAtPassages(node) }
        for entry in fields.entries("calls") {
            guard let call = profile.calls.first(where: { $0.name == entry.key }) else { continue }
            if let node = entry.value["passes"] { lookAtPassages(node) }
            if let node = entry.value["unregisters"] { lookAtSignOut(call, at: node.place) }
            guard let pushes = entry.value["pushes"] else { continue }
            lookAtTokens(of: call, at: pushes.place)
            lookAtUnmarked(call, at: pushes.place)
        }
    }

    /// Places in the content that the app's type has no key for: a relay that keeps to the schema pushes nothing there.
    private func lookAtPassages(_ node: YAMLNode) {
        guard case .sequence(let items) = node.content else { return }
        for item in items {
            guard case .scalar(let text, _)? = item["at"]?.content, let place = item["at"]?.place,
                let steps = JSONPointerPath(text)?.steps, steps.count > 2, steps[0] == "aps"
            else { continue }
            let schema: Schema? =
                switch steps[1] {
                case "content-state": profile.content.contentState
                case "attributes": profile.content.attributes
                default: nil
                }
            guard let lack = schema?.lack(at: steps.dropFirst(2)) else { continue }
            mistakes.doubt(
                "`passes` awaits `\(text)`, and the schema of `\(steps[1])` has no `\(lack.key)`: "
                    + "pushes that keep to it count as lost",
                hint: suggestion(for: lack.key, in: lack.known), at: place)
        }
    }

    /// A phone that signs out by a name of the relay's own is taken for all of them.
    private func lookAtSignOut(_ call: ProfileCall, at place: YAMLPlace) {
        let hasTwo = profile.calls.contains { $0.registers.contains { $0.phone == 1 && $0.role == .deviceToken } }
        let isOfDevice = call.unregisters.contains { $0.role == .deviceToken || $0.role == .startToken }
        guard hasTwo, isOfDevice, !call.isFinal, call.namedPhones.isEmpty else { return }
        mistakes.doubt(
            "`\(call.name)` names no phone's token: it takes those of both phones back",
            hint: "if it means one, say which: `phone: 1`", at: place)
    }

    /// A push to a token that nobody ever tells the relay.
    private func lookAtTokens(of call: ProfileCall, at place: YAMLPlace) {
        let registered = Set(profile.calls.flatMap(\.registers))
        for push in call.pushes where !push.isBroadcast && !registered.contains(push.token) {
            let isActivity = push.channel == .liveactivity
            let what =
                switch push.channel {
                case _ where push.provider == .fcm: isActivity ? "a Live Update" : "a message"
                case .liveactivity: "a Live Activity push"
                case .alert: "an alert"
                default: "a push of the channel `\(push.channel.word)`"
                }
            mistakes.doubt(
                "`\(call.name)` owes \(what) to `\(push.token.rawValue)`, which no call registers: it is never owed",
                hint: "add `registers: [\(push.token.rawValue)]` to the call that tells the relay of it", at: place)
        }
    }

    /// A push of which nobody says what it shows.
    private func lookAtUnmarked(_ call: ProfileCall, at place: YAMLPlace) {
        guard profile.content.carried.isEmpty else { return }
        let passes = call.passes ?? profile.content.passes
        for push in call.pushes where push.told == .token {
            let isCompared = passes.contains { rule in
                if case .body = rule.source { return false }
                return rule.events.isEmpty || push.event.map { rule.events.contains($0) } ?? true
            }
            guard !isCompared else { continue }
            mistakes.doubt(
                "`\(call.name)` owes a push without a marker, and what it shows is compared with nothing",
                hint: "list the card's values under `carries`, or give it a text with {{marker}}", at: place)
        }
    }
}
