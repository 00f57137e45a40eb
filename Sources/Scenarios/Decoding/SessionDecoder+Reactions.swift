// Reactions of a script, and which of them could go on for ever.

import Basics
import Pushes
import YAML

extension SessionDecoder {
    /// A reaction as it was read, with what is needed to speak of it.
    struct ReadReaction {
        var reaction: Reaction
        var place: YAMLPlace
        var callPlace: YAMLPlace
        /// Its author says how often at most.
        var isBounded: Bool
    }

    func reaction(_ node: YAMLNode) -> ReadReaction? {
        guard let fields = Fields(node, .reaction, mistakes), let event: PhoneEvent.Kind = fields.choice("on"),
            let (name, index) = call(fields)
        else { return nil }
        checkToken(event, profile.calls[index], at: fields.value("on")?.place ?? node.place)
        let within = fields.duration("within", .milliseconds(1)...Fields.longest)
        let reaction = Reaction(
            on: event, phone: fields.count("phone").map { $0 - 1 }, kind: name, call: index,
            delay: fields.distribution("after", of: .duration, files) ?? .constant(0),
            probability: fields.number("probability") ?? 1,
            times: fields.count("times") ?? Reaction.usualTimes,
            within: within?.seconds, values: values(fields, profile.calls[index]))
        return ReadReaction(
            reaction: reaction, place: fields.value("on")?.place ?? node.place,
            callPlace: fields.value("call")?.place ?? node.place, isBounded: fields.value("times") != nil)
    }

    /// When an activity has started, its app has yet to be woken and has no token of it: the call would never be made.
    private func checkToken(_ event: PhoneEvent.Kind, _ call: ProfileCall, at place: YAMLPlace) {
        guard event == .started, call.needsPhoneToken || call.usesActivityToken else { return }
        mistakes.add(
            "`\(call.name)` needs the activity's token, and its app has none yet when the phone tells `started`",
            hint: "react to `token`, which tells that the app has it: `on: token`", at: place)
    }

    /// A reaction whose call brings about its own event, by itself or by other reactions, would go on for ever. One that
    /// says how often at most ends the circle.
    func refuseLoops(_ reactions: [ReadReaction]) {
        let unbounded = reactions.filter { !$0.isBounded }
        for reaction in unbounded {
            var reached = profile.calls[reaction.reaction.call].phoneEvents
            var open = reached
            while let kind = open.popFirst() {
                for other in unbounded where other.reaction.event == kind {
                    let more = profile.calls[other.reaction.call].phoneEvents.subtracting(reached)
                    reached.formUnion(more)
                    open.formUnion(more)
                }
            }
            guard reached.contains(reaction.reaction.event) else { continue }
            mistakes.add(
                "`\(reaction.reaction.kind)` on `\(reaction.reaction.event.word)` can bring about `"
                    + "\(reaction.reaction.event.word)` again, without end",
                hint: "say how often at most, such as `times: 3`", at: reaction.place)
        }
    }
}
