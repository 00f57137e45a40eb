// One request in flight: its memory and its completion are made once and used for the whole bench.

import Basics
import HTTP
import Net

/// Bytes with a place for a token, or without.
struct BenchText: Sendable {
    private let before: [UInt8]
    private let after: [UInt8]
    let hasToken: Bool

    init(_ bytes: [UInt8]) {
        let hole = Array("{token}".utf8)
        let place = bytes.indices.first { bytes[$0...].starts(with: hole) }
        hasToken = place != nil
        before = Array(bytes[..<(place ?? bytes.count)])
        after = place.map { Array(bytes[($0 + hole.count)...]) } ?? []
    }

    func write(into buffer: ByteBuffer, _ generator: inout Generator) {
        buffer.append(before.span)
        guard hasToken else { return }
        for _ in 0..<4 { Text.append(hex: generator.next(), digits: 16, into: buffer) }
        buffer.append(after.span)
    }
}

/// The request all slots send, as bytes.
struct BenchRequest: Sendable {
    let method: [UInt8]
    let path: BenchText
    let fields: [(name: [UInt8], value: [UInt8])]
    let body: BenchText

    init(_ options: BenchOptions) {
        method = Array(options.method.utf8)
        path = BenchText(Array(options.path.utf8))
        body = BenchText(options.body)
        var fields = options.fields.map { (name: Array($0.name.lowercased().utf8), value: Array($0.value.utf8)) }
        if let bearer = options.bearer {
            fields.insert((name: Array("authorization".utf8), value: Array("bearer \(bearer)".utf8)), at: 0)
        }
        self.fields = fields
    }
}

final class BenchSlot {
    let request: OutgoingRequest
    private(set) var completion: (ClientOutcome) -> Void = { _ in }
    private let template: BenchRequest
    private var generator: Generator
    private let path = ByteBuffer(capacity: 256)

    /// What is the same in all requests is shared with `first`: a thousand copies would not stay in the cache.
    init(
        _ template: BenchRequest, like first: BenchSlot?, seed: Seed,
        _ landed: @escaping (BenchSlot, ClientOutcome) -> Void
    ) {
        self.template = template
        generator = seed.generator()
        request = OutgoingRequest(
            head: template.path.hasToken ? HeaderBlock() : first?.request.head ?? HeaderBlock(),
            body: template.body.hasToken ? ByteBuffer() : first?.request.body ?? ByteBuffer())
        if first == nil || template.path.hasToken { fillHead() }
        if first == nil || template.body.hasToken { fillBody() }
        // Strong, for an unowned reference is counted too: `forget` breaks the circle.
        completion = { outcome in landed(self, outcome) }
    }

    func forget() { completion = { _ in } }

    /// Makes the next request: another token in the path and in the body, where they have one; all else stays.
    func renew() {
        if template.path.hasToken { fillHead() }
        if template.body.hasToken { fillBody() }
    }

    private func fillBody() {
        request.body.clear()
        template.body.write(into: request.body, &generator)
    }

    private func fillHead() {
        let head = request.head
        let path = path
        let template = template
        head.clear()
        path.clear()
        template.path.write(into: path, &generator)
        head.append(":method", template.method.span)
        head.append(":path", path.bytes)
        for (name, value) in template.fields { head.append(name: name.span, value: value.span) }
    }
}
