// Timestamps in text.

import Basics
import Testing

struct ISO8601Tests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_760_000_000_123, "2025-10-09T08:53:20.123Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (4_102_444_799_999, "2099-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func aKnownMomentIsWrittenAndRead(milliseconds: Int64, text: String) {
        let time = WallTime(milliseconds: milliseconds)
        #expect(time.iso8601 == text)
        #expect(WallTime(iso8601: text) == time)
    }

    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
        ] as [(Int64, String)])
    func aMomentIsWrittenAsHTTPHasIt(seconds: Int64, text: String) {
        let time = WallTime(milliseconds: seconds * 1_000)
        #expect(time.httpDate == text)
        #expect(WallTime(httpDate: text) == time)
    }

    @Test func randomMillisecondsSurviveTheRoundTrip() {
        var generator = Seed(11).generator()
        for _ in 0..<5_000 {
            let time = WallTime(
                milliseconds: Int64.random(in: -9_000_000_000_000...9_000_000_000_000, using: &generator))
            #expect(WallTime(iso8601: time.iso8601) == time)
        }
    }

    @Test(arguments: [
        "2025-10-09T08:53:20Z", "2025-10-09t08:53:20z", "2025-10-09 08:53:20Z", "2025-10-09T10:53:20+02:00",
        "2025-10-09T03:23:20-05:30", "2025-10-09T08:53:20.000000000Z",
    ])
    func otherSpellingsOfOneMomentReadTheSame(text: String) {
        #expect(WallTime(iso8601: text) == WallTime(seconds: 1_760_000_000))
    }

    @Test func fractionsAreReadToTheNanosecond() {
        #expect(WallTime(iso8601: "1970-01-01T00:00:00.123456789Z")?.nanoseconds == 123_456_789)
        #expect(WallTime(iso8601: "1970-01-01T00:00:00.1234567899Z")?.nanoseconds == 123_456_789)
    }

    @Test(arguments: [
        "", "2025-10-09", "2025-10-09T08:53:20", "2025-10-09T08:53Z", "2025-13-09T08:53:20Z", "2025-00-09T08:53:20Z",
        "2025-02-29T08:53:20Z", "2025-04-31T08:53:20Z", "2025-10-00T08:53:20Z", "2025-10-32T08:53:20Z",
        "2025-10-09T24:53:20Z", "2025-10-09T08:60:20Z", "2025-10-09T08:53:61Z", "2025-10-09T08:53:20.Z",
        "2025-10-09T08:53:20+2:00", "2025-10-09T08:53:20+24:00", "2025-10-09T08:53:20+02:60", "2025-10-09T08:53:20ZZ",
        "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "+2025-10-09T08:53:20Z", "2025-10-09T08:53:20 Z",
    ])
    func whatIsNoTimestampIsRefused(text: String) {
        #expect(WallTime(iso8601: text) == nil)
    }
}
