// The growable buffer against a plain array that does the same.

import Basics
import Testing

struct ByteBufferTests {
    @Test func `A buffer behaves as an array under any order of appending and consuming`() {
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

    @Test func `Text goes in and comes out`() {
        let buffer = ByteBuffer(capacity: 1)
        buffer.append("Grüße" as StaticString)
        buffer.append(", \("x")")
        #expect(buffer.text == "Grüße, x")
        let bytes = buffer.bytes
        #expect(bytes.hasPrefix("Gr"))
        #expect(!bytes.hasPrefix("GR"))
        #expect(bytes.equals("Grüße, x"))
        #expect(!bytes.equals("Grüße"))
    }

    @Test func `More than there is cannot be consumed`() async {
        await #expect(processExitsWith: .failure) { ByteBuffer().consume(1) }
    }
}
