// The key `activities` of a profile: how the relay deals with their age.

import Basics
import Pushes
import YAML

struct ActivitiesDecoder {
    let mistakes: Mistakes

    private static let spans = Interval.milliseconds(1)...Fields.longest

    func activities(_ fields: Fields) -> ActivitiesSpec {
        var spec = ActivitiesSpec()
        guard let node = fields.value("activities"), let inner = Fields(node, .activities, mistakes) else { return spec }
        spec.restart = restart(inner)
        spec.end = end(inner)
        spec.refresh = inner.duration("refresh", .seconds(1)...Fields.longest)
        spec.dismissal = inner.duration("dismissal", .zero...Self.longestStay)
        return spec
    }

    /// Apple, Ending Live Activities.
    private static let longestStay = Interval.seconds(4 * 3_600)

    private func end(_ fields: Fields) -> AgeSpec? {
        guard let end = fields.value("end"), let own = Fields(end, .activityEnd, mistakes),
            let after = own.duration("after", Self.spans)
        else { return nil }
        let within = own.duration("within", Self.spans) ?? .seconds(60)
        if within >= after {
            mistakes.add(
                "`within` is as long as `after` or longer", hint: "such as `after: 7h59m, within: 60s`", at: end.place)
        }
        return AgeSpec(terms: AgeTerms(after: after, within: within), shows: own.entries("shows").compactMap(showing))
    }

    private func showing(_ entry: YAMLEntry) -> AgeSpec.Showing? {
        guard let at = JSONPointerPath(entry.key) else {
            mistakes.add(
                "`\(entry.key)` is no JSON pointer into the end's payload", hint: "such as /aps/content-state/status",
                at: entry.keyPlace)
            return nil
        }
        let value = entry.value.json
        if case .array(let values) = value, !values.isEmpty { return AgeSpec.Showing(at: at, values: values) }
        return AgeSpec.Showing(at: at, values: [value])
    }

    private func restart(_ fields: Fields) -> RestartTerms? {
        guard let restart = fields.value("restart"), let own = Fields(restart, .activityRestart, mistakes),
            let after = own.duration("after", Self.spans)
        else { return nil }
        let within = own.duration("within", Self.spans) ?? .seconds(60)
        let pause = own.duration("pause", Self.spans) ?? .seconds(5 * 60)
        let terms = RestartTerms(
            after: after, within: within, before: own.duration("before", Self.spans) ?? after + within,
            adoptWithin: own.duration("adoptWithin", Self.spans) ?? .seconds(60), pause: pause,
            longestPause: own.duration("longestPause", Self.spans) ?? max(pause, .seconds(60 * 60)))
        if terms.within >= terms.after {
            mistakes.add(
                "`within` is as long as `after` or longer", hint: "such as `after: 6h50m, within: 60s`", at: restart.place)
        }
        if terms.before < terms.after + terms.within {
            mistakes.add(
                "`before` lies before the end of the window, `after` and `within` together",
                hint: "such as `after: 6h50m, within: 60s, before: 7h`", at: restart.place)
        }
        if terms.longestPause < terms.pause {
            mistakes.add(
                "`longestPause` is shorter than `pause`", hint: "such as `pause: 5m, longestPause: 60m`", at: restart.place)
        }
        return terms
    }
}
