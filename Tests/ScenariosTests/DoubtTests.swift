// What is lawful in a profile and hardly meant: told with its place, and no mistake. And headers that a call strikes.

import Basics
import Scenarios
import Testing

@Suite("What is hardly meant")
struct DoubtTests {
    private static let usual = "- { channel: liveactivity, event: update, coalesce: true }"
    private static let schema = """
        schemas:
              contentState:
                { type: object, properties: { title: { type: string }, step: { type: object, properties: { text: { type: string } } } } }
            passes:
              - { at: %@, from: /body }
            calls:
        """

    private static func doubts(_ text: String) throws -> [String] {
        try Sample.load(text).relay.profile.doubts.map(\.description)
    }

    private static func passing(_ place: String) -> String {
        Sample.with("calls:", schema.replacing("%@", with: place))
    }

    @Test("is a passage to a place that the schema does not have", arguments: [
        ("/aps/content-state/titel", true), ("/aps/content-state/step/words", true), ("/aps/content-state/title", false),
        ("/aps/content-state/step/text", false), ("/aps/content-state", false), ("/aps/alert/body", false),
        ("/aps/attributes/name", false),
    ])
    func passages(place: String, expected: Bool) throws {
        let doubts = try Self.doubts(Self.passing(place))
        #expect(doubts.count == (expected ? 1 : 0), "\(doubts)")
        guard expected, let doubt = doubts.first else { return }
        #expect(doubt.hasPrefix("tiny.yaml:") && doubt.split(separator: ":").count > 3, "file, line, column: \(doubt)")
        #expect(doubt.contains("`passes` awaits `\(place)`") && !doubt.contains("\n"))
        if place.hasSuffix("titel") { #expect(doubt.contains("did you mean `title`?"), "\(doubt)") }
    }

    @Test("is a push to a registration of FCM that no call registers")
    func registrations() throws {
        let owed = Sample.with(Self.usual, "- { channel: fcm }")
        let doubts = try Self.doubts(owed)
        #expect(doubts.count == 1 && doubts[0].contains("`registrationToken`, which no call registers"), "\(doubts)")
        let registered = owed.replacing("activityToken]", with: "activityToken, registrationToken]")
        #expect(try Self.doubts(registered).isEmpty)
    }

    @Test("is a push to a token of APNs that no call registers")
    func tokens() throws {
        let doubts = try Self.doubts(Sample.with("[deviceToken, activityToken]", "[deviceToken]"))
        #expect(doubts.count == 1, "\(doubts)")
        #expect(doubts[0].contains("`update` owes a Live Activity push to `activityToken`, which no call registers: it is never owed"))
        let alert = Sample.with(Self.usual, "- { channel: alert }").replacing("[deviceToken, activityToken]", with: "[activityToken]")
        #expect(try Self.doubts(alert).first?.contains("owes an alert to `deviceToken`") == true)
    }

    @Test("is a push without a marker of which nobody says what it shows")
    func unmarked() throws {
        let bare = Sample.with(Self.usual, "- { channel: liveactivity, event: update, marked: false }")
        let doubts = try Self.doubts(bare)
        #expect(doubts.count == 1 && doubts[0].contains("compared with nothing"), "\(doubts)")
        let fixed = bare.replacing("    calls:", with: "    passes: [{ at: /aps/content-state/text, is: null }]\n    calls:")
        #expect(try Self.doubts(fixed).isEmpty)
        #expect(try Self.doubts(Sample.text).isEmpty)
    }

    @Test("are told of a sign-out that names no phone, where a user has two")
    func signOut() throws {
        func profile(_ goodbye: String, registers: String = "[deviceToken, deviceToken2, activityToken]") -> String {
            Sample.with("registers: [deviceToken, activityToken]", "registers: \(registers)")
                .replacing("    calls:\n", with: "    calls:\n      goodbye: \(goodbye)\n")
        }
        let nameless = "{ method: DELETE, path: \"/d/{{session}}\", unregisters: [deviceToken] }"
        let doubts = try Self.doubts(profile(nameless))
        #expect(doubts.count == 1 && doubts[0].contains("`goodbye` names no phone's token: it takes those of both phones back"))
        #expect(doubts[0].contains("`phone: 1`"))
        #expect(try Self.doubts(profile(nameless, registers: "[deviceToken, activityToken]")).isEmpty, "one phone")
        let one = nameless.replacing("unregisters:", with: "phone: 2, unregisters:")
        #expect(try Self.doubts(profile(one)).isEmpty)
        #expect(try Sample.load(profile(one)).relay.profile.calls.first { $0.name == "goodbye" }?.namedPhones == [1])
        #expect(try Self.doubts(profile(nameless.replacing("{{session}}", with: "{{deviceToken}}"))).isEmpty)
    }
}

@Suite("Headers of a call")
struct StruckHeaderTests {
    private static let path = "path: /register"
    private static let headed = Sample.with(
        "topic: com.example.app", "topic: com.example.app\n    headers: { X-Key: \"{{secret}}\", x-other: a }")

    @Test("are joined with the profile's by name, and null strikes one")
    func joined() throws {
        func names(_ own: String) throws -> [String] {
            let text = Self.headed.replacing(Self.path, with: Self.path + "\n        headers: \(own)")
            return try Sample.load(text).relay.profile.calls[0].fields.map(\.name).sorted()
        }
        #expect(try names("{ x-third: b }") == ["content-type", "x-key", "x-other", "x-third"])
        #expect(try names("{ x-key: null }") == ["content-type", "x-other"])
    }

    @Test("that need what the call's own answer gives are told with the way out")
    func circle() {
        let text = Sample.with("topic: com.example.app", "topic: com.example.app\n    headers: { x-key: \"{{ticket}}\" }")
            .replacing(Self.path, with: Self.path + "\n        captures: { ticket: /ticket }")
        let complaint = Sample.complaint(text)
        #expect(complaint.contains("say `headers: { x-key: null }` in that call"), "\(complaint)")
        #expect(Sample.complaint(text.replacing(Self.path, with: Self.path + "\n        headers: { x-key: null }")).isEmpty)
    }
}
