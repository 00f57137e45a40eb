// What only the two sides know, and how it is written where it stands.

package import Basics

package indirect enum SecretValue: Sendable {
    /// Of a session, or taken from an answer.
    case template(Template, SecretForm = .plain)
    /// From a file or the environment.
    case kept(KeptSecret)
    /// One of several, at least two: by the event, or by the time where `every` says for how long each is used.
    case turns([KeptSecret], every: Interval?)
    /// Some of these and plain text, one behind the other, and then written so.
    case joined([SecretValue], SecretEncoding)

    /// Another one from time to time.
    var isOfTurns: Bool { if case .turns = self { true } else { false } }

    /// All that files and the environment gave.
    var kept: [KeptSecret] {
        switch self {
        case .template: []
        case .kept(let kept): [kept]
        case .turns(let kept, _): kept
        case .joined(let parts, _): parts.flatMap(\.kept)
        }
    }

    /// Those that stand as they are where the secret is written.
    var bare: [KeptSecret] {
        if case .joined(_, let encoding) = self, encoding != .text { [] } else { kept }
    }

    /// Its value is a session's own, or was given by an answer.
    package var varies: Bool { templates.contains { !$0.variables.isEmpty } }

    package var templates: [Template] {
        switch self {
        case .template(let template, _): [template]
        case .kept, .turns: []
        case .joined(let parts, _): parts.flatMap(\.templates)
        }
    }

    /// Puts it behind what `buffer` holds. `turn`: which of several, from 0, by the duration that each is used. False, and an
    /// unknown rest, where a value is not written as the profile says.
    package func append(to buffer: ByteBuffer, _ values: some TemplateValues, turn: (Interval?) -> Int64) -> Bool {
        switch self {
        case .template(let template, .plain): template.render(into: buffer, values)
        case .template(let template, let form):
            let written = ByteBuffer(capacity: 128)
            template.render(into: written, values)
            guard let plain = form.plain(written.array()) else { return false }
            buffer.append(plain.span)
        case .kept(let kept):
            let bytes = kept.bytes
            buffer.append(bytes.span)
        case .turns(let secrets, let every):
            let bytes = secrets[Int(turn(every) % Int64(secrets.count))].bytes
            buffer.append(bytes.span)
        case .joined(let parts, let encoding):
            let whole = ByteBuffer(capacity: 128)
            for part in parts {
                guard part.append(to: whole, values, turn: turn) else { return false }
            }
            buffer.append(encoding.written(whole.bytes).span)
        }
        return true
    }
}

package enum SecretEncoding: String, CaseIterable, Sendable {
    case text, hex, base64, base64url

    func written(_ bytes: Span<UInt8>) -> [UInt8] {
        switch self {
        case .text: bytes.array
        case .hex: Array(Hex.encode(bytes).utf8)
        case .base64: Array(Base64.encode(bytes).utf8)
        case .base64url: Array(Base64URL.encode(bytes).utf8)
        }
    }

    /// Nil where it is not written so.
    func read(_ written: [UInt8]) -> [UInt8]? {
        switch self {
        case .text: written
        case .hex: Hex.decode(written.span)
        case .base64: Base64.decode(written.span)
        case .base64url: Base64URL.decode(written.span)
        }
    }
}

/// How a secret is written where it is kept.
package struct SecretForm: Hashable, Sendable {
    /// Struck where the text begins with it, before it is read.
    package var prefix: [UInt8] = []
    package var encoding = SecretEncoding.text

    package static let plain = SecretForm()

    /// Nil where it is not written so, or nothing is left.
    func plain(_ written: [UInt8]) -> [UInt8]? {
        let rest = written.starts(with: prefix) ? Array(written.dropFirst(prefix.count)) : written
        return encoding.read(rest).flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// A secret of the user's. It says nothing of itself: no report, no error and no record holds it.
package final class KeptSecret: Sendable, CustomStringConvertible, CustomReflectable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// At most, in bytes.
    package static let longest = 4_096

    package var description: String { "(secret)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
