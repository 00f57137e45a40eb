// One request in flight: its memory and its completion are made once and used for the whole bench.

import Basics
import HTTP
import Net

/// The request all slots send, as bytes; the path in two parts around the token, if it has one.
struct BenchRequest: Sendable {
    let method: [UInt8]
    let pathBefore: [UInt8]
    let pathAfter: [UInt8]
    let hasToken: Bool
    let fields: [(name: [UInt8], value: [UInt8])]
    let body: [UInt8]

    init(_ options: BenchOptions) {
        method = Array(options.method.utf8)
        body = options.body
        let hole = Array("{token}".utf8)
        let path = Array(options.path.utf8)
        let place = path.indices.first { path[$0...].starts(with: hole) }
        hasToken = place != nil
        pathBefore = Array(path[..<(place ?? path.count)])
        pathAfter = place.map { Array(path[($0 + hole.count)...]) } ?? []
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
        if let first {
            request = OutgoingRequest(
                head: template.hasToken ? HeaderBlock() : first.request.head, body: first.request.body)
        } else {
            request = OutgoingRequest()
            request.body.append(template.body.span)
        }
        if first == nil || template.hasToken { fillHead() }
        // Strong, for an unowned reference is counted too: `forget` breaks the circle.
        completion = { outcome in landed(self, outcome) }
    }

    func forget() { completion = { _ in } }

    /// Makes the next request: another token, if the path has one; all else stays.
    func renew() {
        guard template.hasToken else { return }
        fillHead()
    }

    private func fillHead() {
        let head = request.head
        let path = path
        let template = template
        head.clear()
        path.clear()
        path.append(template.pathBefore.span)
        if template.hasToken {
            for _ in 0..<4 { Text.append(hex: generator.next(), digits: 16, into: path) }
            path.append(template.pathAfter.span)
        }
        head.append(":method", template.method.span)
        head.append(":path", path.bytes)
        for (name, value) in template.fields { head.append(name: name.span, value: value.span) }
    }
}
