// The files of a draft beside its profile, and what it says of itself in a line.

import Basics
import Pushes

extension TourDraft {
    /// Calls of the first play follow each other so, for a push may come behind the answer.
    private static let pause = "700ms"

    var relayURL: String { calls.first?.origin ?? "" }

    /// The calls, when all is well.
    func first(_ name: String = "first", readyPath: String? = nil) -> String {
        """
        # The calls, when all is well. Written by \(author).

        name: \(name)
        relay:
          profile: \(name).profile.yaml
          url: \(TourDraft.quoted(relayURL))
          ready: \(Self.ready(readyPath))
        mock: { topics: [] }
        latenessBudget: 1s
        workload:
          draw: in-turn
          arrivals: [{ rate: 4, for: \(scripts.count * 500)ms }]
          maxSessions: \(scripts.count * 2)
          requestTimeout: 10s
          scripts:
        \(scripts.enumerated().map { script("first-\($0)", $1, after: Self.pause) }.joined())
        phases: { drain: 2s }
        """
    }

    /// How the relay is reached, for whatever is asked of it next.
    func base(readyPath: String? = nil) -> String {
        """
        # How a relay is reached that runs already: what the tour's run extends.

        name: base
        relay: { profile: profile.yaml, url: \(TourDraft.quoted(relayURL)), ready: \(Self.ready(readyPath)) }
        latenessBudget: 1s
        workload:
          arrivals: [{ rate: 1, for: 1s }]
          scripts: [{ script: { name: none, steps: [{ call: \(names[0]) }] } }]
        """
    }

    /// Some sessions that make the calls in their order.
    func scenario(readyPath: String? = nil) -> String {
        """
        # Written by \(author): twenty sessions that make its calls one after the other.

        name: learned
        relay: { profile: profile.yaml, url: \(TourDraft.quoted(relayURL)), ready: \(Self.ready(readyPath)) }
        workload:
          draw: in-turn
          arrivals: [{ rate: 2, for: 10s }]
          scripts:
        \(scripts.enumerated().map { number, calls in
            let taken = calls.filter { !(traits.indices.contains($0) && traits[$0].refusedWith != nil) }
            return script("learned-\(number)", taken, after: "{ uniform: [700ms, 1s] }")
        }.joined())
        phases: { drain: 12s }
        """
    }

    private func script(_ name: String, _ calls: [Int], after pause: String) -> String {
        "    - script:\n        name: \(name)\n        steps:\n" + calls.enumerated().map { place, call in
            "          - { call: \(names[call])" + (place == 0 ? "" : ", after: \(pause)") + " }\n"
        }.joined()
    }

    static func ready(_ path: String?) -> String {
        path.map { "{ path: \(quoted($0)), timeout: 60s }" } ?? "{ path: /, status: any, timeout: 60s }"
    }

    /// Which call brings about which pushes.
    var words: String {
        seen.enumerated().filter { !$0.element.pushes.isEmpty }.map { number, seen in
            "`\(names[number])` " + seen.pushes.map(\.words).joined(separator: " and ")
        }.joined(separator: ", ")
    }
}
