// What a script has its users do on their phones.

import Basics
import Pushes
import YAML

extension SessionDecoder {
    func act(_ node: YAMLNode) -> ScriptedAct? {
        guard let fields = Fields(node, .act, mistakes), let deed: ScriptedAct.Deed = fields.choice("do"),
            let time = time(fields, node.place)
        else { return nil }
        if deed == .dismiss {
            let hint = "say on which event of one it follows: `on: started`, with `after: 5s`"
            switch time {
            case .at: mistakes.add("`dismiss` is of an activity, and nothing says of which", hint: hint, at: node.place)
            case .on(.dismissed, _): mistakes.add("what is dismissed cannot be dismissed again", hint: hint, at: node.place)
            case .on: break
            }
        }
        let isOnAndroid = isOnAndroid(deed, time, fields, node.place)
        var act = ScriptedAct(
            deed, time, phone: isOnAndroid ? nil : fields.count("phone").map { $0 - 1 }, isOnAndroid: isOnAndroid,
            probability: fields.number("probability") ?? 1)
        (act.place, act.phonePlace) = (fields.value("at")?.place ?? node.place, fields.value("phone")?.place)
        return act
    }

    /// `phone: android` stands for the device behind the user's registration.
    private func isOnAndroid(
        _ deed: ScriptedAct.Deed, _ time: ScriptedAct.Time, _ fields: Fields, _ place: YAMLPlace
    ) -> Bool {
        guard case .scalar("android", _)? = fields.value("phone")?.content else { return false }
        if !ScriptedAct.onAndroid.contains(deed) {
            let words = ScriptedAct.onAndroid.map(\.rawValue).joined(separator: ", ")
            mistakes.add("`\(deed.rawValue)` is done on no Android device", hint: "there are: \(words)", at: place)
        }
        if case .on = time {
            mistakes.add("an Android device tells of no events", hint: "write `at: 10s` in the place of `on`", at: place)
        }
        return true
    }

    /// What is due once nobody heeds the session's phones any more does nothing but make the run longer.
    func refuseLate(_ acts: [ScriptedAct], in script: SessionScript) {
        guard let end = script.latestEnd else { return }
        for act in acts {
            guard case .at(let time) = act.time, time.least > end, let place = act.place else { continue }
            mistakes.add(
                "`\(act.deed.rawValue)` at \(Interval.seconds(time.least)) comes when the session is over: its phones are "
                    + "heeded until \(Interval.seconds(end))",
                hint: "give an earlier `at`, or a longer `listen`", at: place)
        }
    }

    private func time(_ fields: Fields, _ place: YAMLPlace) -> ScriptedAct.Time? {
        let (at, on) = (fields.value("at"), fields.value("on"))
        guard (at == nil) != (on == nil) else {
            mistakes.add(
                "an act has either `at` or `on`", hint: at == nil ? "add `at: 10s`, or `on: token`" : "strike one",
                at: on?.place ?? place)
            return nil
        }
        if let after = fields.value("after"), on == nil {
            mistakes.add("`after` goes with `on`", hint: "write `at: 10s` alone, or `on: token`", at: after.place)
        }
        if on == nil { return fields.distribution("at", of: .duration, files).map { .at($0) } }
        guard let event: PhoneEvent.Kind = fields.choice("on") else { return nil }
        return .on(event, after: fields.distribution("after", of: .duration, files) ?? .constant(0))
    }
}
