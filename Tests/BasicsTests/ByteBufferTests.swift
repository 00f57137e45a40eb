// The growable buffer against a plain array that does the same.

import Basics
import Testing

struct ByteBufferTests {
    @Test func aBufferBehavesAsAnArrayUnderAnyOrderOfAppendingAndConsuming() {
        var generator = Seed(4).generator()
        let buffer = ByteBuffer()
        var model: [UInt8] = []
        for _ in 0..<5_000 {
            let count = Int(generator.next() % 300)
            switch generator.next() % 8 {
            case 0...2:
                let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
                buffer.append(bytes.span)
                model += bytes
            case 3...5:
                buffer.consume(min(count, buffer.count))
                model.removeFirst(min(count, model.count))
            case 6:
                buffer.append(upTo: 40) { output in
                    for _ in 0..<count % 40 { output.append(7) }
                }
                model += [UInt8](repeating: 7, count: count % 40)
            default:
                buffer.append(UInt8(count & 0xFF))
                model.append(UInt8(count & 0xFF))
            }
            #expect(buffer.array() == model)
        }
        buffer.clear(keepingUpTo: 16)
        #expect(buffer.isEmpty)
    }

    @Test(arguments: [0, 7, 10, -1, 1_764_000_000, .max, .min] as [Int64])
    func aNumberIsWrittenInItsDecimalDigits(number: Int64) {
        let buffer = ByteBuffer()
        buffer.append(decimal: number)
        #expect(buffer.text == String(number))
    }

    @Test func theFirstOfSomeBytesIsFound() {
        let bytes: [UInt8] = [1, 2, 3, 2]
        #expect(bytes.span.firstIndex(of: 2) == 1 && bytes.span.firstIndex(of: 9) == nil)
        #expect(bytes.span.extracting(2..<4).firstIndex(of: 2) == 1 && Span<UInt8>().firstIndex(of: 2) == nil)
    }

    @Test func textGoesInAndComesOut() {
        let buffer = ByteBuffer(capacity: 1)
        buffer.append("Grüße" as StaticString)
        buffer.append(", \("x")")
        #expect(buffer.text == "Grüße, x")
        let bytes = buffer.bytes
        let prefixes = (bytes.hasPrefix("Gr"), bytes.hasPrefix("GR"), bytes.hasPrefix("Grüße, x!"))
        #expect(prefixes == (true, false, false))
        let equals = (bytes.equals("Grüße, x"), bytes.equals("Grüße"), bytes.equals("Grüße, y"))
        #expect(equals == (true, false, false))
    }

    @Test func moreThanThereIsCannotBeConsumed() async {
        await #expect(processExitsWith: .failure) { ByteBuffer().consume(1) }
    }
}
