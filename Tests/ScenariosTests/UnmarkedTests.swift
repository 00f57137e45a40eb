// Pushes without a marker, and answers that must lack a value, as profiles say them.

import Basics
import Scenarios
import Testing

@Suite("Pushes without a marker")
struct UnmarkedTests {
    private let usual = "- { channel: liveactivity, event: update, coalesce: true }"

    @Test("are said of an update or an end, whose call then needs no marker")
    func decoded() throws {
        let text = Sample.with(usual, "- { channel: liveactivity, event: update, marked: false }")
            .replacing("{{marker}} ", with: "")
        #expect(try !Sample.load(text).relay.profile.calls[1].pushes[0].isMarked)
        #expect(try Sample.load().relay.profile.calls[1].pushes[0].isMarked)
    }

    @Test("are of no other kind, and no other push goes without")
    func refused() {
        let start = Sample.complaint(Sample.with(usual, "- { channel: liveactivity, event: start, marked: false }"))
        #expect(start.contains("only an activity's update or end can do without a marker"), "\(start)")
        let both = usual + "\n          - { channel: liveactivity, event: end, marked: false }"
        let text = Sample.with(usual, both).replacing("{{marker}} ", with: "")
        #expect(Sample.complaint(text).contains("expects pushes but carries no {{marker}}"))
    }

    @Test("lacks names captures of its own call")
    func lacks() throws {
        let registers = "registers: [deviceToken, activityToken]"
        let text = Sample.with(registers, registers + "\n        captures: { id: /id, key: /key }\n        lacks: [key]")
        let call = try Sample.load(text).relay.profile.calls[0]
        #expect(call.lacks == CapturedNames(1) && call.captures.count == 2)
        let complaint = Sample.complaint(text.replacing("lacks: [key]", with: "lacks: [keys]"))
        #expect(complaint.contains("`lacks` names what the call's own `captures` look for"), "\(complaint)")
    }
}
