// One small scenario with everything in it, to turn one knob at a time; and where the repository's own files are.

import Basics
import Scenarios

/// The repository's root, from this file's place in it.
let repository = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

enum Sample {
    static let text = """
        name: tiny
        seed: 7
        relay:
          url: http://127.0.0.1:8787
          profile:
            topic: com.example.app
            coalescing: { window: 10s }
            calls:
              register:
                path: /register
                json: { token: "{{deviceToken}}" }
                registers: [deviceToken, activityToken]
              update:
                path: /update/{{sessionID}}
                variables: { text: hello, extra: null }
                json: { body: "{{marker}} {{text}}", extra: "{{extra|json}}" }
                pushes:
                  - { channel: liveactivity, event: update, coalesce: true }
        workload:
          arrivals:
            - { rate: 10, for: 5s }
          scripts:
            - script:
                parameters: { pause: 2s }
                steps:
                  - call: register
                  - call: update
                    after: $pause
                    with: { text: hello }
        faults:
          - at: 5s
            match: { pushType: liveactivity }
            action: { respond: { reason: Unregistered } }
        gates:
          - lost == 0
        """

    /// The sample with the one place that reads `old` reading `new` instead.
    static func with(_ old: String, _ new: String) -> String {
        let parts = split(text, by: old)
        precondition(parts.count == 2, "`\(old)` stands \(parts.count - 1) times in the sample")
        return parts[0] + new + parts[1]
    }

    static func load(
        _ text: String = text, overrides: [(path: String, value: String)] = []
    ) throws(Failure) -> Scenario {
        try Scenario.parse(text: text, path: "tiny.yaml", overrides: overrides)
    }

    /// What loading says, or "" when it is content.
    static func complaint(_ text: String, overrides: [(path: String, value: String)] = []) -> String {
        do throws(Failure) {
            _ = try load(text, overrides: overrides)
            return ""
        } catch {
            return error.description
        }
    }

    private static func split(_ text: String, by mark: String) -> [String] {
        var parts = [""]
        var rest = text[...]
        while !rest.isEmpty {
            if rest.hasPrefix(mark) {
                parts.append("")
                rest = rest.dropFirst(mark.count)
            } else {
                parts[parts.count - 1].append(rest.removeFirst())
            }
        }
        return parts
    }
}
