// By which secrets a webhook may be signed, as time goes by: one that is known, several that take turns, or those that the
// relay's answers have given.

import Basics
import Scenarios

/// Confined to one thread.
struct WebhookSecrets {
    /// A secret is right for so long behind its successor at least: what is under way bears it.
    private static let underWay = Interval.seconds(2)
    /// Users whose secrets are known; others are not learned any more.
    private static let mostUsers = 10_000

    private struct Given {
        var secret: [UInt8]
        /// From when on it is right no more; nil: it is the last.
        var until: WallTime?
    }

    private let secret: SecretValue?
    private let overlap: Interval
    private var given: [UInt32: [Given]] = [:]

    init(_ spec: WebhookSpec) {
        overlap = max(spec.overlap, Self.underWay)
        secret =
            switch spec.signature?.kind {
            case .plain(_, _, let secret)?: secret
            case .hmac(let hmac)?: hmac.key
            case .basic?, .jwt?, .sigv4?, .oauth2?, nil: nil
            }
    }

    /// They come from answers, so that one may be on its way.
    var areGiven: Bool { secret?.varies ?? false }

    /// An answer gave it to a call of the user.
    mutating func learn(_ bytes: [UInt8], of user: UInt32, at now: WallTime) {
        guard let secret, areGiven, given[user] != nil || given.count < Self.mostUsers else { return }
        guard let fresh = written(secret, GivenValue(bytes: bytes)) else { return }
        var known = (given[user] ?? []).filter { isRight($0, at: now) && $0.secret != fresh }
        for index in known.indices where known[index].until == nil { known[index].until = now + overlap }
        given[user] = known.suffix(3) + [Given(secret: fresh)]
    }

    /// Nil where the answer's value is not written as the profile says: no webhook is right by it.
    private func written(_ secret: SecretValue, _ values: some TemplateValues) -> [UInt8]? {
        let buffer = ByteBuffer(capacity: 64)
        return secret.append(to: buffer, values, turn: { _ in 0 }) ? buffer.array() : nil
    }

    /// Of that user where it has some; else, and where nobody knows whose it is, of all.
    func right(for user: UInt32?, at now: WallTime) -> [[UInt8]] {
        switch secret {
        case .kept(let kept)?: return [kept.bytes]
        case .turns(let secrets, let every?)?:
            func taken(_ time: WallTime) -> [UInt8] {
                secrets[Int(max(0, time.nanoseconds) / every.nanoseconds % Int64(secrets.count))].bytes
            }
            let (last, former) = (taken(now), taken(now - min(overlap, every)))
            return last == former ? [last] : [last, former]
        case .joined? where !areGiven: return secret.flatMap { written($0, NoValues()) }.map { [$0] } ?? []
        case .template?, .joined?:
            let own = user.flatMap { given[$0] }
            return (own ?? given.values.flatMap { $0 }).filter { isRight($0, at: now) }.map(\.secret)
        case .turns?, nil: return []
        }
    }

    private func isRight(_ given: Given, at now: WallTime) -> Bool { given.until.map { now <= $0 } ?? true }
}

/// The one value that a template of a secret has.
private struct GivenValue: TemplateValues {
    let bytes: [UInt8]

    func isNull(_ variable: TemplateVariable) -> Bool { false }
    func append(_ variable: TemplateVariable, _ encoding: TemplateEncoding, into buffer: ByteBuffer) {
        encoding.append(bytes.span, into: buffer)
    }
}
