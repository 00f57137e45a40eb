// `{"raw": "empty-data"}` or `{"raw": {"hex": "000004 08 00 00000000 00000000", "place": "before"}}`: frames byte for
// byte, written among those of our HTTP/2 as if they were its own.

import Basics

package struct RawFault: Sendable, Equatable {
    package enum Place: String, Sendable, CaseIterable {
        /// In place of the answer: the push is not processed and has no other.
        case instead, before, after
    }

    /// A name of `LawlessFrames`; nil: `bytes` were written out.
    package var name: String?
    package var bytes: RawTemplate
    package var place: Place
}

/// Bytes with gaps for what only a push can tell.
package struct RawTemplate: Sendable, Equatable {
    enum Piece: Sendable, Equatable {
        case bytes([UInt8])
        /// The push's stream, in 4 bytes.
        case stream
        /// The `apns-id` of the answer, in 36 bytes.
        case apnsID
    }

    private(set) var pieces: [Piece] = []

    static let maxBytes = 65_536

    mutating func add(_ bytes: [UInt8]) {
        if case .bytes(let before)? = pieces.last {
            pieces[pieces.count - 1] = .bytes(before + bytes)
        } else {
            pieces.append(.bytes(bytes))
        }
    }

    mutating func add(_ gap: Piece) { pieces.append(gap) }

    /// It speaks of a push, which a connection has none of.
    var hasAPNsID: Bool { pieces.contains(.apnsID) }

    /// `stream` 0 for a connection.
    package func bytes(stream: Int32, apnsID: String) -> [UInt8] {
        pieces.flatMap { piece -> [UInt8] in
            switch piece {
            case .bytes(let bytes): bytes
            case .stream: (0..<4).map { UInt8(truncatingIfNeeded: stream >> (24 - 8 * $0)) }
            case .apnsID: Array(apnsID.utf8)
            }
        }
    }
}

extension RawTemplate {
    private static let gaps: [(text: String, piece: Piece)] = [("{stream}", .stream), ("{apnsId}", .apnsID)]

    /// Hex digits, blanks between them, `{stream}` and `{apnsId}`. Nil: something else stands there, or too much.
    init?(parsing text: String) {
        var digits = ""
        var rest = text[...]
        func take(_ template: inout RawTemplate) -> Bool {
            guard let bytes = Hex.decode(digits) else { return false }
            if !bytes.isEmpty { template.add(bytes) }
            digits = ""
            return true
        }
        while let first = rest.first {
            if let gap = Self.gaps.first(where: { rest.hasPrefix($0.text) }) {
                guard take(&self) else { return nil }
                add(gap.piece)
                rest = rest.dropFirst(gap.text.count)
            } else {
                if !first.isWhitespace { digits.append(first) }
                rest = rest.dropFirst()
            }
        }
        guard take(&self), !pieces.isEmpty, bytes(stream: 0, apnsID: "").count <= Self.maxBytes else { return nil }
    }

    var text: String {
        pieces.map { piece in
            switch piece {
            case .bytes(let bytes): Hex.encode(bytes.span)
            case .stream: "{stream}"
            case .apnsID: "{apnsId}"
            }
        }.joined(separator: " ")
    }
}

extension ActionRow {
    static let raw = ActionRow(
        10, "raw", "Writes frames byte for byte, in place of the answer, before it or after it.",
        """
        Either a name or {"hex": "…", "place": "instead"}: pairs of hex digits with blanks, {stream} for the push's
        stream in 4 bytes and {apnsId} for the 36 bytes of its answer's apns-id (of a broadcast: apns-request-id). A
        push whose answer is replaced is not processed. Names:

        """ + LawlessFrames.all.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"),
        example: #""empty-data""#,
        rule: #"{"action": {"raw": "empty-data"}, "times": 1}"#,
        keys: ["frames", "hex", "place"],
        targets: FaultTarget.allCases, stage: .connection, endsConnection: true,
        fate: { action, _ in
            if case .raw(let fault) = action, fault.place != .instead { .processed } else { .dropped }
        },
        meant: { action, target in
            guard case .raw(var fault) = action, target == .broadcast, let frames = LawlessFrames.named(fault.name) else {
                return action
            }
            fault.bytes = frames.broadcastTemplate
            return .raw(fault)
        },
        objection: { action, target in
            guard case .raw(let fault) = action, target == .connection else { return nil }
            let isKnown = LawlessFrames.named(fault.name)?.isForConnections ?? !fault.bytes.hasAPNsID
            return isKnown
                ? nil
                : FaultObjection(
                    "raw", "these frames are about a push, and this rule meets connections",
                    hint: LawlessFrames.all.filter(\.isForConnections).map(\.name).joined(separator: ", ") + ", or hex")
        }
    ) { value, pointer, keys throws(FaultRuleError) in
        let object = try ObjectReader(
            value.string != nil ? ["frames": value] : value, at: pointer, keys: keys)
        let place = try object.word("place", of: RawFault.Place.allCases.map(\.rawValue))
            .flatMap { RawFault.Place(rawValue: $0) }
        if let text = try object.text("hex") {
            guard object["frames"] == nil else { throw object.error("hex", "give frames or hex, not both") }
            guard let template = RawTemplate(parsing: text) else {
                throw object.error(
                    "hex", "this is no hex text of at most \(RawTemplate.maxBytes) bytes",
                    hint: "pairs of hex digits, blanks, {stream} and {apnsId}")
            }
            return .raw(RawFault(name: nil, bytes: template, place: place ?? .instead))
        }
        guard let name = try object.text("frames") else {
            throw FaultRuleError(
                pointer: pointer, message: "a raw fault has frames or hex", hint: #"such as {"frames": "empty-data"}"#)
        }
        guard let frames = LawlessFrames.named(name) else {
            throw object.unknownWord("frames", name, among: LawlessFrames.all.map(\.name))
        }
        return .raw(RawFault(name: name, bytes: frames.template, place: place ?? frames.place))
    } write: { action in
        guard case .raw(let fault) = action else { return nil }
        var object = JSONObject()
        if let name = fault.name { object["frames"] = .string(name) } else { object["hex"] = .string(fault.bytes.text) }
        object["place"] = .string(fault.place.rawValue)
        return .object(object)
    }
}
