// One request in flight: its memory and its completion are made once and used for the whole bench.

import Basics
import HTTP
import Net

/// The request all slots send, as bytes and holes.
struct BenchRequest: Sendable {
    let method: [UInt8]
    let path: BenchText
    let fields: [(name: [UInt8], value: [UInt8])]
    let body: BenchText
    private let seed: Seed
    private let tokens: Int?

    init(_ options: BenchOptions) {
        method = Array(options.method.utf8)
        seed = options.seed.child("bench")
        tokens = options.tokens
        let first = Self.fill(0, seed, tokens)
        let (path, body) = (BenchText(Array(options.path.utf8)), BenchText(options.body))
        self.path = options.repeats ? path.filled(first) : path
        self.body = options.repeats ? body.filled(first) : body
        var fields = options.fields.map { (name: Array($0.name.lowercased().utf8), value: Array($0.value.utf8)) }
        if let bearer = options.bearer {
            fields.insert((name: Array("authorization".utf8), value: Array("bearer \(bearer)".utf8)), at: 0)
        }
        self.fields = fields
    }

    /// For the request of that number, counted over all loops.
    func fill(_ number: Int) -> BenchFill { Self.fill(number, seed, tokens) }

    private static func fill(_ number: Int, _ seed: Seed, _ tokens: Int?) -> BenchFill {
        let own = seed.child("request").child(UInt64(number))
        let token = tokens.map { min($0 - 1, Int(own.unit * Double($0))) } ?? number
        return BenchFill(number: number, token: seed.child("token").child(UInt64(token)), generator: own.generator())
    }
}

final class BenchSlot {
    let request: OutgoingRequest
    /// From when its latency counts.
    var since = Instant(nanoseconds: 0)
    private(set) var completion: (ClientOutcome) -> Void = { _ in }
    private let template: BenchRequest
    private let path = ByteBuffer(capacity: 256)

    /// What is the same in all requests is shared with `first`: a thousand copies would not stay in the cache.
    init(
        _ template: BenchRequest, like first: BenchSlot?,
        _ landed: @escaping (BenchSlot, ClientOutcome) -> Void
    ) {
        self.template = template
        request = OutgoingRequest(
            head: template.path.hasHoles ? HeaderBlock() : first?.request.head ?? HeaderBlock(),
            body: template.body.hasHoles ? ByteBuffer() : first?.request.body ?? ByteBuffer())
        var fill = template.fill(0)
        if first == nil || template.path.hasHoles { fillHead(&fill) }
        if first == nil || template.body.hasHoles { fillBody(&fill) }
        // Strong, for an unowned reference is counted too: `forget` breaks the circle.
        completion = { outcome in landed(self, outcome) }
    }

    func forget() { completion = { _ in } }

    /// Makes the request of that number: what has no holes stays.
    func renew(_ number: Int) {
        var fill = template.fill(number)
        if template.path.hasHoles { fillHead(&fill) }
        if template.body.hasHoles { fillBody(&fill) }
    }

    private func fillBody(_ fill: inout BenchFill) {
        request.body.clear()
        template.body.write(into: request.body, &fill)
    }

    private func fillHead(_ fill: inout BenchFill) {
        let head = request.head
        let path = path
        let template = template
        head.clear()
        path.clear()
        template.path.write(into: path, &fill)
        head.append(":method", template.method.span)
        head.append(":path", path.bytes)
        for (name, value) in template.fields { head.append(name: name.span, value: value.span) }
    }
}
