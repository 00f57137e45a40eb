// RFC 7541: each way to write a field, and each way to write it wrong. A decoding error ends the connection (§2, and RFC
// 9113 §4.3): the table is lost.

import Testing
import WireClient

let compressionCases = [
    indexCases, updateCases, evictionCases, integerCases, stringCases, formCases, answerCases,
].flatMap { $0 }

private func block(_ bytes: [UInt8]) -> Frame { .headers(1, base + bytes) }

/// A good push but for its topic.
private let base = good.without("apns-topic").block
private let topic = ("apns-topic", "com.example.app")

private let indexCases = section("RFC 7541 §2.3.3") {
    when("index 0", .compressionError) { $0.send(block([0x80])) }
    when("an index into an empty dynamic table", .compressionError) { $0.send(block(HPACK.indexed(62))) }
    when("an index beyond the dynamic table", .compressionError) {
        $0.send(block(HPACK.literal(.incremental, topic.0, topic.1) + HPACK.indexed(63)))
    }
    when("a name's index beyond the tables", .compressionError) {
        $0.send(block(HPACK.literal(.incremental, nameIndex: 70, "value")))
    }
    when("a name's index beyond the tables, not indexed", .compressionError) {
        $0.send(block(HPACK.literal(.withoutIndexing, nameIndex: 70, "value")))
    }
    when("a name's index beyond the tables, never indexed", .compressionError) {
        $0.send(block(HPACK.literal(.neverIndexed, nameIndex: 70, "value")))
    }
    when("the newest entry is the first after the static table", .accepted) { client in
        client.send(block(HPACK.literal(.incremental, "x-old", "1") + HPACK.literal(.incremental, topic.0, topic.1)))
        client.send(.data(1, alert))
        _ = try client.answer(on: 1)
        client.mark = client.received.count
        client.send(.headers(1 + 2, base + HPACK.indexed(62) + HPACK.indexed(63)), .data(3, alert))
        try client.expect(status: 200, on: 3)
        client.mark = 0
    }
}

private let updateCases = section("RFC 7541 §4.2 §6.3") {
    when("a size update above what was announced", .compressionError) {
        $0.send(.headers(1, HPACK.sizeUpdate(4_097) + good.block))
    }
    when("a size update of exactly what was announced", .accepted) {
        $0.send(.headers(1, HPACK.sizeUpdate(4_096) + good.block), .data(1, alert))
    }
    when("two size updates at the start", .accepted) {
        $0.send(.headers(1, HPACK.sizeUpdate(0) + HPACK.sizeUpdate(1_000) + good.block), .data(1, alert))
    }
    when("a size update after a field", .compressionError) {
        $0.send(.headers(1, HPACK.indexed(3) + HPACK.sizeUpdate(100) + good.block))
    }
    when("a size update at the end", .compressionError) { $0.send(.headers(1, good.block + HPACK.sizeUpdate(100))) }
    when("a size update that is cut off", .compressionError) { $0.send(.headers(1, [0x3F])) }
}

private let evictionCases = section("RFC 7541 §4.3 §4.4") {
    when("a size of 0 empties the table", .compressionError, stream: 3) { client in
        try client.learnTopic()
        client.send(.headers(3, HPACK.sizeUpdate(0) + base + HPACK.indexed(62)))
    }
    when("a smaller size evicts the oldest entries", .compressionError, stream: 3) { client in
        try client.learnTopic()
        client.send(.headers(3, HPACK.sizeUpdate(32) + HPACK.sizeUpdate(4_096) + base + HPACK.indexed(62)))
    }
    when("a size that still holds the entry keeps it", .accepted, stream: 3) { client in
        try client.learnTopic()
        client.send(.headers(3, HPACK.sizeUpdate(57) + base + HPACK.indexed(62)), .data(3, alert))
    }
    when("a size of one byte less does not", .compressionError, stream: 3) { client in
        try client.learnTopic()
        client.send(.headers(3, HPACK.sizeUpdate(56) + base + HPACK.indexed(62)))
    }
    when("new entries push out the oldest", .compressionError, stream: 3) { client in
        try client.learnTopic()
        // 32 + 1 + 4,030 bytes leave no room for the topic's 57.
        client.send(.headers(3, HPACK.literal(.incremental, "x", String(repeating: "v", count: 4_030)), end: true))
        client.send(.headers(5, base + HPACK.indexed(63)))
    }
    when("an entry larger than the table empties it", .compressionError, stream: 3) { client in
        try client.learnTopic()
        client.send(.headers(3, HPACK.literal(.incremental, "x", String(repeating: "v", count: 4_096)), end: true))
        client.send(.headers(5, base + HPACK.indexed(62)))
    }
    when("an entry may be built from the name that its arrival evicts", .accepted, stream: 3) { client in
        client.send(.headers(1, HPACK.sizeUpdate(60) + base + HPACK.literal(.incremental, topic.0, "org.example")))
        client.send(.reset(1))
        client.send(.headers(3, base + HPACK.literal(.incremental, nameIndex: 62, topic.1)), .data(3, alert))
    }
    when("the same field twice is two entries", .accepted, stream: 3) { client in
        client.send(.headers(1, base + HPACK.literal(.incremental, "x", "1") + HPACK.literal(.incremental, "x", "1")))
        client.send(.reset(1), .headers(3, good.block + HPACK.indexed(62) + HPACK.indexed(63)), .data(3, alert))
    }
}

private let integerCases = section("RFC 7541 §5.1") {
    when("an index that is cut off", .compressionError) { $0.send(block([0xFF])) }
    when("an index that is cut off after a continuation", .compressionError) { $0.send(block([0xFF, 0x80])) }
    when("an index of more than 32 bits", .compressionError) {
        $0.send(block([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]))
    }
    when("an index without end", .compressionError) { $0.send(block([0xFF] + [UInt8](repeating: 0x80, count: 40) + [1])) }
    when("a string's length of more than 32 bits", .compressionError) {
        $0.send(block([0x00, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]))
    }
    when("a size update of more than 32 bits", .compressionError) {
        $0.send(.headers(1, [0x3F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]))
    }
    when("a length in two bytes", .accepted) { $0.push(1, good.adding("x-long", String(repeating: "v", count: 300))) }
    when("a length at the edge of its prefix", .accepted) { client in
        let request = [126, 127, 128].reduce(good) { $0.adding("x-\($1)", String(repeating: "v", count: $1)) }
        client.push(1, request)
    }
}

private let stringCases = section("RFC 7541 §5.2") {
    when("a name longer than the block", .compressionError) { $0.send(block([0x00, 0x10, 0x61])) }
    when("a value longer than the block", .compressionError) { $0.send(block([0x00, 0x01, 0x61, 0x05, 0x62])) }
    when("a name without a value", .compressionError) { $0.send(block([0x00, 0x01, 0x61])) }
    when("Huffman padding of more than seven bits", .compressionError) {
        $0.send(block(value(coded: Huffman.encode(Array("abc".utf8)) + [0xFF])))
    }
    when("Huffman padding of nothing but a byte of ones", .compressionError) { $0.send(block(value(coded: [0xFF]))) }
    when("Huffman padding with zeros", .compressionError) {
        $0.send(block(value(coded: Huffman.encode(symbols: [97], padding: 0))))
    }
    when("the end-of-string symbol within a Huffman string", .compressionError) {
        $0.send(block(value(coded: Huffman.encode(symbols: [97, Huffman.endOfString, 98]))))
    }
    when("a Huffman string of the end-of-string symbol alone", .compressionError) {
        $0.send(block(value(coded: Huffman.encode(symbols: [Huffman.endOfString]))))
    }
    when("names and values in Huffman code", .accepted) {
        let fields = good.fields.flatMap { HPACK.literal($0.0, $0.1, huffman: true) }
        $0.send(.headers(1, fields), .data(1, alert))
    }
    when("an empty Huffman string", .accepted) {
        $0.send(.headers(1, good.block + HPACK.literal("x-tag", "", huffman: true)), .data(1, alert))
    }
    when("a Huffman string of the longest codes", .accepted) {
        let bytes = (UInt8(0x80)...0xFF).map { $0 }
        let coded = HPACK.literal(nameIndex: 58, "").dropLast() + HPACK.string(bytes: bytes, huffman: true)
        $0.send(.headers(1, good.block + coded), .data(1, alert))
    }
}

/// `x: …` with that Huffman-coded value.
private func value(coded: [UInt8]) -> [UInt8] {
    [0x00, 0x01, 0x78] + HPACK.integer(coded.count, prefix: 7, 0x80) + coded
}

private let formCases = section("RFC 7541 §6") {
    when("indexed fields of the static table", .accepted) {
        let rest = good.without(":method").without(":scheme").block
        $0.send(.headers(1, HPACK.indexed(3) + HPACK.indexed(7) + rest), .data(1, alert))
    }
    when("a literal whose name is in the static table", .accepted) {
        $0.send(.headers(1, good.block + HPACK.literal(.incremental, nameIndex: 58, "tests")), .data(1, alert))
    }
    when("a literal that is not indexed leaves no entry", .compressionError, stream: 3) {
        $0.send(.headers(1, base + HPACK.literal(.withoutIndexing, topic.0, topic.1)), .data(1, alert))
        $0.send(.headers(3, base + HPACK.indexed(62)))
    }
    when("a literal that is never indexed leaves no entry", .compressionError, stream: 3) {
        $0.send(.headers(1, base + HPACK.literal(.neverIndexed, topic.0, topic.1)), .data(1, alert))
        $0.send(.headers(3, base + HPACK.indexed(62)))
    }
    when("a literal that is never indexed may take its name from the dynamic table", .accepted, stream: 3) { client in
        try client.learnTopic()
        client.send(.headers(3, base + HPACK.literal(.neverIndexed, nameIndex: 62, topic.1)), .data(3, alert))
    }
}

private let answerCases = section("RFC 7541 §4.2, the server's own blocks") {
    when("a table of 0 bytes is announced in its first block and then used", .accepted, hello: [(1, 0)]) { client in
        client.decoder.allowed = 0
        client.push(1)
        try client.expect(status: 200, on: 1)
        #expect(client.decoder.sizeUpdates == [0])
        client.push(3)
        let second = try client.answer(on: 3)
        // Only the static table is left to refer to.
        for field in second?.fields ?? [] {
            switch field.form {
            case .indexed(let index), .literal(_, let index): #expect(index <= 61, "\(field)")
            }
        }
    }
    when("a table that shrinks and grows between two answers ends as large as agreed", .accepted) { client in
        client.push(1)
        try client.expect(status: 200, on: 1)
        client.send(.settings([(1, 0)]), .settings([(1, 4_096)]))
        _ = try client.awaitPing()
        client.push(3)
        try client.expect(status: 200, on: 3)
        #expect(client.decoder.sizeUpdates.first == 0)
        #expect(client.decoder.sizeUpdates.count == 2)
    }
}

extension WireClient {
    /// A good push whose topic stands in the dynamic table afterwards: 57 bytes, 10 + 15 + 32.
    fileprivate func learnTopic() throws {
        send(.headers(1, base + HPACK.literal(.incremental, topic.0, topic.1)), .data(1, alert))
        #expect(try answer(on: 1)?.status == 200)
    }
}
