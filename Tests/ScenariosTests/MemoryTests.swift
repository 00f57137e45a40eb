// Captures and reactions as files say them, and what is refused before a run.

import Basics
import Pushes
import Scenarios
import Testing

/// The sample with a call that captures.
private let capturing = Sample.with(
    "registers: [deviceToken, activityToken]",
    "registers: [deviceToken, activityToken]\n        captures: { id: /activity/id, count: /n }")

extension String {
    /// The text with `old`, which must stand there, reading `new`.
    fileprivate func swapping(_ old: String, _ new: String) -> String {
        precondition(contains(old), "`\(old)` is not there")
        return replacing(old, with: new)
    }
}

@Suite("Sessions with memory")
struct SessionMemoryTests {
    /// The sample with reactions behind its steps, and with phones.
    private func reacting(_ lines: String, _ text: String = Sample.text, hasPhones: Bool = true) -> String {
        let mark = "            with: { text: hello }\n"
        let start = text.firstRange(of: mark)!
        return text[..<start.upperBound] + lines.split(separator: "\n").map { "        \($0)\n" }.joined()
            + (hasPhones ? "  phones: {}\n" : "") + text[start.upperBound...]
    }

    @Test("Captures are named in the profile, and any call may use them")
    func captures() throws {
        let text = capturing.swapping("extra: \"{{extra|json}}\"", "extra: \"{{extra|json}}\", id: \"{{id}}\"")
        let profile = try Sample.load(text).relay.profile
        #expect(profile.captures == ["id", "count"])
        let places = ["/activity/id", "/n"].map { Capture.Place.json(JSONPointerPath($0)!) }
        #expect(profile.calls[0].captures.map(\.place) == places)
        #expect(profile.calls[1].neededCaptures == CapturedNames(0))
        #expect(profile.calls[0].neededCaptures.isEmpty)
    }

    @Test("A header is captured by its name, or what stands behind a text in it")
    func headers() throws {
        let text = capturing.swapping("extra: \"{{extra|json}}\"", "extra: \"{{extra|json}}\", id: \"{{id}}\"")
        func places(_ capture: String) throws(Failure) -> [Capture.Place] {
            try Sample.load(text.swapping("/activity/id", capture)).relay.profile.calls[0].captures.map(\.place)
        }
        #expect(try places("{ header: Location, behind: /s/ }").first == .header("location", behind: "/s/"))
        #expect(try places("{ header: etag }").first == .header("etag", behind: ""))
        #expect(Sample.complaint(text.swapping("/activity/id", "{ behind: x }")).contains("`capture` lacks `header`"))
    }

    @Test("What may be left out is not needed")
    func optional() throws {
        let text = capturing.swapping("extra: \"{{extra|json}}\"", "extra: \"{{extra|json}}\", id: \"{{id|optional}}\"")
        #expect(try Sample.load(text).relay.profile.calls[1].neededCaptures.isEmpty)
    }

    @Test("Reactions have times, limits and values of their own")
    func reactions() throws {
        let text = reacting(
            """
            listen: 3s
            reactions:
              - { on: token, call: register }
              - { on: ended, phone: 2, call: update, after: $pause, probability: 0.5, times: 3, within: 9s,
                  with: { text: bye } }
            """)
        let script = try Sample.load(text).workload.scripts[0].script
        #expect(script.listen == 3 && script.reactions.count == 2)
        let (first, second) = (script.reactions[0], script.reactions[1])
        #expect(first.event == .token && first.phone == nil && first.times == Reaction.usualTimes && first.within == nil)
        #expect(second.event == .ended && second.phone == 1 && second.delay == .constant(2) && second.probability == 0.5)
        #expect(second.times == 3 && second.within == 9)
        #expect(second.values[0] == StepValue(choices: [VariableValue(text: "bye")]))
        #expect(script.values(2) == first.values && script.reaction(3)?.call == second.call)
        #expect(script.reaction(1) == nil && script.reaction(4) == nil)
    }

    /// The sample, whose users have a second phone.
    private static let twoPhones = Sample.text.swapping("[deviceToken, activityToken]", "[deviceToken, activityToken2]")

    @Test("Acts have a time or an event, and a phone")
    func acts() throws {
        let text = reacting(
            """
            acts:
              - { do: offline, at: 3s, phone: 2, probability: 0.5 }
              - { do: dismiss, on: started, after: $pause }
            """, Self.twoPhones)
        let acts = try Sample.load(text).workload.scripts[0].script.acts
        #expect(acts.map(\.deed) == [.offline, .dismiss] && acts.map(\.phone) == [1, nil] && acts.map(\.probability) == [0.5, 1])
        guard case .at(.constant(3)) = acts[0].time, case .on(.started, .constant(2)) = acts[1].time else {
            Issue.record("\(acts)")
            return
        }
    }

    @Test("A mistake in an act is told with its place", arguments: [
        ("[{ do: dismis, on: token }]", "tiny.yaml:30:22: `dismis` is no value of `do` (did you mean `dismiss`?)"),
        ("[{ do: kill }]", "tiny.yaml:30:16: an act has either `at` or `on` (add `at: 10s`, or `on: token`)"),
        ("[{ do: kill, at: 1s, on: token }]", "tiny.yaml:30:40: an act has either `at` or `on` (strike one)"),
        ("[{ do: kill, at: 1s, after: 2s }]", "tiny.yaml:30:43: `after` goes with `on`"),
        ("[{ do: dismiss, on: dismissed }]", "tiny.yaml:30:16: what is dismissed cannot be dismissed again (say on which"),
        ("[{ do: dismiss, at: 1s }]", "tiny.yaml:30:16: `dismiss` is of an activity, and nothing says of which (say on which"),
        ("[{ do: kill, at: 1s, phone: 3 }]", "`phone` must be a whole number from 1 to 2"),
    ])
    func mistakesInActs(acts: String, says: String) {
        #expect(Sample.complaint(reacting("acts: \(acts)")).contains(says), "\(Sample.complaint(reacting("acts: \(acts)")))")
    }

    @Test("An act that can never be done is refused with its place", arguments: [
        ("acts: [{ do: kill, at: 1s, phone: 2 }]", "tiny.yaml:30:43: a user has one phone here: no call of the workload's scripts"),
        ("acts: [{ do: dismiss, on: token, phone: 2 }]", "tiny.yaml:30:49: a user has one phone here"),
        (
            "acts: [{ do: kill, at: 4500ms }]",
            "tiny.yaml:30:32: `kill` at 4.5s comes when the session is over: its phones are heeded until 4s (give an earlier"
        ),
        ("acts: [{ do: kill, at: { uniform: [5s, 6s] } }]", "tiny.yaml:30:32: `kill` at 5s comes when the session is over"),
    ])
    func impossibleActs(lines: String, says: String) {
        #expect(Sample.complaint(reacting(lines)).contains(says), "\(Sample.complaint(reacting(lines)))")
    }

    @Test("An act that may be done is taken", arguments: [
        "acts: [{ do: kill, at: 4s }]", "acts: [{ do: kill, at: { uniform: [4s, 60s] } }]",
        "listen: 9s\nacts: [{ do: kill, at: 11s }]", "acts: [{ do: kill, at: { exponential: 1h } }]",
        "reactions: [{ on: token, call: register, after: 10s, times: 2 }]\nacts: [{ do: kill, at: 24s }]",
        "acts: [{ do: kill, at: 1s, phone: 1 }]",
    ])
    func possibleActs(lines: String) throws {
        #expect(try Sample.load(reacting(lines)).workload.scripts[0].script.acts.count == 1)
    }

    @Test("A phone wakes its app within a day, as the admin API has it", arguments: ["wake", "rotate"])
    func longWake(key: String) throws {
        func phones(_ text: String) -> String { reacting("").swapping("phones: {}", "phones: { \(key): \(text) }") }
        #expect(try Sample.load(phones("24h")).workload.phones?.wake?.mean ?? 86_400 == 86_400)
        let said = "`\(key)` must be a duration of at most 24h"
        #expect(Sample.complaint(phones("25h")).contains(said), "\(Sample.complaint(phones("25h")))")
        #expect(Sample.complaint(phones("{ uniform: [1s, 25h] }")).contains("must be a duration of at most 24h"))
    }

    @Test("acts without phones are refused")
    func actsWithoutPhones() {
        let complaint = Sample.complaint(reacting("acts: [{ do: kill, at: 1s }]", hasPhones: false))
        #expect(complaint.hasPrefix("tiny.yaml:30:15: this script has acts, and the workload no phones"), "\(complaint)")
    }

    @Test("A reaction that can loop is refused with its place", arguments: [
        // By itself; and by way of another.
        ("reactions: [{ on: ended, call: begin }]", "`begin` on `ended` can bring about `ended` again, without end"),
        (
            "reactions: [{ on: token, call: finish }, { on: ended, call: begin }]",
            "`finish` on `token` can bring about `token` again, without end"
        ),
    ])
    func loops(line: String, says: String) {
        let calls = """
                  begin: { path: /begin, json: { m: "{{marker}}" }, pushes: [{ channel: liveactivity, event: start }] }
                  finish: { path: /finish, json: { m: "{{marker}}" }, pushes: [{ channel: liveactivity, event: end }] }
            workload:
            """
        let text = reacting(line, Sample.text.swapping("workload:\n", calls + "\n"))
        let complaint = Sample.complaint(text)
        #expect(complaint.hasPrefix("tiny.yaml:32:") && complaint.contains(says), "\(complaint)")
        #expect(complaint.contains("say how often at most, such as `times: 3`"))
        #expect(Sample.complaint(text.swapping("call: begin }", "call: begin, times: 3 }")) == "")
    }

    @Test("What follows from a capture that does not read is not told besides")
    func follows() {
        let text = capturing.swapping("id: /activity/id", "id: activity")
            .swapping("extra: \"{{extra|json}}\"", "extra: \"{{extra|json}}\", id: \"{{id}}\"")
        #expect(Sample.complaint(text).contains("must be captured by a JSON pointer") && !Sample.complaint(text).contains("needs {{id}}"))
    }

    @Test("What can be known before the run is told before it", arguments: [
        (capturing.swapping("id: /activity/id", "id: activity"), "tiny.yaml:13:25: `id` must be captured by a JSON pointer"),
        (capturing.swapping("id: /activity/id", "marker: /id"), "tiny.yaml:13:21: `marker` is a variable already"),
        (capturing.swapping("id: /activity/id", "a b: /id"), "tiny.yaml:13:21: a captured value cannot be named `a b`"),
        (capturing.swapping("variables: { text:", "variables: { id: 1, text:"), "`id` is a variable already"),
        (
            capturing.swapping("count: /n", "a: /a, b: /a, c: /a, d: /a, e: /a, f: /a, g: /a, h: /a"),
            "a profile captures at most 8 values, and `h` is one more"
        ),
        (
            capturing.swapping("json: { token: \"{{deviceToken}}\" }", "json: { token: \"{{id}}\" }"),
            "`register` needs {{id}}, which nothing before it captures (put `register` before it)"
        ),
        (
            Sample.text.swapping("json: { token: \"{{deviceToken}}\" }", "json: { token: \"{{phoneToken}}\" }"),
            "tiny.yaml:26:19: `register` needs {{phoneToken}}, and only a phone's event brings one"
        ),
    ])
    func mistakes(text: String, says: String) {
        #expect(Sample.complaint(text).contains(says), "\(Sample.complaint(text))")
    }

    @Test("so are mistakes in a reaction", arguments: [
        ("reactions: [{ on: tokn, call: register }]", "`tokn` is no value of `on` (did you mean `token`?)"),
        ("reactions: [{ on: token, call: regster }]", "has no call `regster` (did you mean `register`?)"),
        ("reactions: [{ on: token, call: register, times: 101 }]", "`times` must be a whole number from 1 to 100"),
        ("reactions: [{ on: token, call: register, phone: 3 }]", "`phone` must be a whole number from 1 to 2"),
        ("reactions: [{ call: register }]", "`reaction` lacks `on` (add `on: token`)"),
    ])
    func mistakesInReactions(line: String, says: String) {
        let complaint = Sample.complaint(reacting(line))
        #expect(complaint.hasPrefix("tiny.yaml:30:") && complaint.contains(says), "\(complaint)")
    }

    @Test("A reaction to `started` cannot use a token: the app has none yet", arguments: ["activityToken", "phoneToken"])
    func startedWithoutToken(variable: String) {
        let call = "      tell: { path: /tell, json: { t: \"{{\(variable)}}\" } }\nworkload:\n"
        let text = Sample.text.swapping("workload:\n", call)
        let complaint = Sample.complaint(reacting("reactions: [{ on: started, call: tell, after: 1h }]", text))
        #expect(complaint.hasPrefix("tiny.yaml:31:27: `tell` needs the activity's token, and its app has none yet"), "\(complaint)")
        #expect(complaint.hasSuffix("(react to `token`, which tells that the app has it: `on: token`)"))
        for line in ["{ on: token, call: tell }", "{ on: ended, call: tell }", "{ on: started, call: register }"] {
            #expect(Sample.complaint(reacting("reactions: [\(line)]", text)) == "")
        }
    }

    @Test("reactions without phones are refused, for nothing would ever bring them about")
    func reactionsWithoutPhones() {
        let line = "reactions: [{ on: token, call: register }]"
        #expect(
            Sample.complaint(reacting(line, hasPhones: false))
                == "tiny.yaml:30:20: this script has reactions, and the workload no phones on which anything could happen "
                + "(add `phones: {}` to the scenario's `workload`, or strike `reactions`)")
        #expect(Sample.complaint(reacting(line)) == "" && Sample.complaint(reacting("reactions: []", hasPhones: false)) == "")
    }
}
