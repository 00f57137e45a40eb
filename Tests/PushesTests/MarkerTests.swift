// The mark that events carry through a relay.

import Basics
import Pushes
import Testing

@Suite struct MarkerTests {
    private func find(_ text: String, run: UInt32 = 0x1A2B_3C4D) -> [UInt32]? {
        withBytes(of: text) { Marker.find(in: $0, run: run) }.map { [$0.session, $0.step] }
    }

    @Test func itIsWrittenInHexAndBase36() {
        #expect(Marker(run: 0x1A2B_3C4D, session: 69, step: 87).text == "[pr:1a2b3c4d:1x:2f]")
        #expect(Marker(run: 1, session: 0, step: 35).text == "[pr:00000001:0:z]")
        let longest = Marker(run: .max, session: .max, step: .max).text
        #expect(longest == "[pr:ffffffff:1z141z3:1z141z3]")
        #expect(longest.utf8.count == Marker.maxLength)
    }

    @Test func whatIsWrittenIsFound() {
        var generator = Seed(1).generator()
        for _ in 0..<2000 {
            let run = UInt32(truncatingIfNeeded: generator.next())
            let session = UInt32(truncatingIfNeeded: generator.next() >> (generator.next() % 64))
            let step = UInt32(truncatingIfNeeded: generator.next() >> (generator.next() % 64))
            let text = Marker(run: run, session: session, step: step).text
            #expect(find(text, run: run) == [session, step])
            #expect(find(#"{"a":["[pr:",["#, run: run) == nil)
            #expect(find(#"{"a":["[pr:",["\#(text)"]]}"#, run: run) == [session, step])
        }
    }

    @Test func theFirstOfTheRunIsTaken() {
        #expect(find("[pr:00000001:1:1] [pr:1a2b3c4d:2:3] [pr:1a2b3c4d:4:5]") == [2, 3])
    }

    @Test func anyRunIsFoundWhereNoneIsNamed() {
        func find(_ text: String) -> Marker? { withBytes(of: text) { Marker.find(in: $0) } }
        #expect(find("[pr:00000001:1:1] [pr:1a2b3c4d:2:3]") == Marker(run: 1, session: 1, step: 1))
        let near = #"{"a":[1,"[pr:0000000g:1:1][pr:ffffffff:1z141z3:0]x"]}"#
        #expect(find(near) == Marker(run: .max, session: .max, step: 0))
        #expect(find("[pr:[pr:[pr:00000001:[pr:00000002:3:4]") == Marker(run: 2, session: 3, step: 4))
        #expect(find(String(repeating: "[pr:0000000", count: 1000)) == nil)
    }

    @Test(arguments: [
        "", "[", "[pr:", "[pr:1a2b3c4d", "[pr:1a2b3c4d:1", "[pr:1a2b3c4d:1:", "[pr:1a2b3c4d:1:2", "[pr:1a2b3c4d::2]",
        "[pr:1a2b3c4d:1:]", "[pr:1a2b3c4d:1:2:3]", "[pr:1A2B3C4D:1:2]", "[pr:1a2b3c4d:1X:2]", "[pr:1a2b3c4d:1 :2]",
        "[pr:1a2b3c4d:1z141z4:2]", "[pr:1a2b3c4d:00000001:2]", "[pr:1a2b3c4d:12345678:2]", "pr:1a2b3c4d:1:2]",
        "[pq:1a2b3c4d:1:2]", "[pr:1a2b3c4e:1:2]",
    ])
    func whatIsNotQuiteAMarkerIsNone(text: String) { #expect(find(text) == nil) }

    @Test func aMarkerCutShortIsNoneWhereverItIsCut() {
        let text = "[pr:1a2b3c4d:1x:2f]"
        for length in 0..<text.count {
            #expect(find(String(text.prefix(length))) == nil)
            #expect(withBytes(of: String(text.prefix(length))) { Marker.find(in: $0) } == nil)
        }
    }

    @Test func anyBytesMayBeSearched() {
        var generator = Seed(2).generator()
        let alphabet = Array("[pr:1a2b3c4d:]x".utf8)
        for _ in 0..<5000 {
            let bytes = (0..<Int(generator.next() % 60)).map { _ in alphabet[Int(generator.next() % 15)] }
            _ = Marker.find(in: bytes.span, run: 0x1A2B_3C4D)
            _ = Marker.find(in: bytes.span)
        }
    }
}
