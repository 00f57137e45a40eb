// What stands on a card when it shows a state: the five texts of its layout, and what a drawing of it needs beside them.

package import Basics

package struct CardText: Hashable, Sendable {
    package var title: String?
    package var status: String?
    package var body: String?
    /// Per cent where the schema bounds the number, else as it is.
    package var progress: String?
    /// An instant in UTC, or how long it has been: `1:02:03`.
    package var since: String?
    /// Of `progress`: 0 to 1; nil where the schema does not bound it.
    package var fraction: Double?
    /// Of `since`: when it was, if it is a Date; nil too for what no calendar here holds.
    package var sinceAt: WallTime?

    package init() {}
}

/// A layout with the memory to fill it in. Confined to one thread; what it gives depends on its arguments alone.
package final class CardRenderer {
    /// Seconds from 1970 to 2001, where `Date` begins.
    private static let referenceDate = 978_307_200.0

    private let layout: CardLayout
    private let schemas: [CardLayout.Source: Schema]
    private let state = JSONLevels()
    private let attributes = JSONLevels()

    /// Nil when the schema has no card.
    package init?(_ contentState: Schema, attributes: Schema?) {
        guard let card = contentState.card else { return nil }
        layout = card
        schemas = attributes.map { [.state: contentState, .attributes: $0] } ?? [.state: contentState]
    }

    /// What is not there, `null`, empty or no single value leaves out all that it stands with. `attributes`: those of the
    /// start, which stay while the activity lives; empty where they are not known.
    package func text(state: Span<UInt8>, attributes: Span<UInt8>) -> CardText {
        let isThere: [CardLayout.Source: Bool] = [
            .state: self.state.start(state, pointer: "") == nil,
            .attributes: self.attributes.start(attributes, pointer: "") == nil,
        ]
        var card = CardText()
        for slot in CardLayout.Slot.allCases {
            guard let entry = layout.entries[slot] else { continue }
            for pieces in entry.templates {
                guard let text = fill(pieces, entry.words, slot, isThere, &card) else { continue }
                switch slot {
                case .title: card.title = text
                case .status: card.status = text
                case .body: card.body = text
                case .progress: card.progress = text
                case .since: card.since = text
                }
                break
            }
        }
        return card
    }

    private func fill(
        _ pieces: [CardLayout.Piece], _ words: [String: String], _ slot: CardLayout.Slot,
        _ isThere: [CardLayout.Source: Bool], _ card: inout CardText
    ) -> String? {
        var text = ""
        for piece in pieces {
            switch piece {
            case .text(let literal): text += literal
            case .value(let source, let path):
                let levels = source == .state ? state : attributes
                guard isThere[source] == true, let node = find(path, levels) else { return nil }
                let type = schemas[source]?.walk(path)
                let isAlone = pieces.count == 1
                let known = type?.lacking == nil ? type?.node : nil
                guard let value = show(node, levels.json, known, isAlone ? slot : nil, &card) else { return nil }
                text += words[value] ?? value
            }
        }
        return text
    }

    private func find(_ path: JSONPointerPath, _ levels: JSONLevels) -> Int? {
        levels.rewind()
        return levels.walk(path)
    }

    /// `slot`: where the value stands alone.
    private func show(
        _ value: Int, _ json: JSONScanner, _ type: SchemaNode?, _ slot: CardLayout.Slot?, _ card: inout CardText
    ) -> String? {
        switch json.node(value).kind {
        case .string: return json.string(value).flatMap { $0.isEmpty ? nil : $0 }
        case .true: return "true"
        case .false: return "false"
        case .number: break
        case .null, .object, .array: return nil
        }
        guard let number = json.double(value) else { return nil }
        if slot == .progress, let least = type?.minimum, let most = type?.maximum, most > least {
            let fraction = min(1, max(0, (number - least) / (most - least)))
            card.fraction = fraction
            return "\(Int((fraction * 100).rounded())) %"
        }
        if type?.kind == .number, type?.width == .date {
            // As far as 64 bits of nanoseconds reach: the years 1678 to 2261.
            guard (number + Self.referenceDate).magnitude < 9.2e9 else { return Self.words(number) }
            let instant = WallTime(nanoseconds: Int64(((number + Self.referenceDate) * 1e3).rounded()) * 1_000_000)
            if slot == .since { card.sinceAt = instant }
            return instant.iso8601
        }
        return slot == .since ? Self.duration(number) : Self.words(number)
    }

    /// Without the `.0` of a whole number.
    private static func words(_ number: Double) -> String {
        number == number.rounded() && number.magnitude < 1e15 ? String(Int64(number)) : String(number)
    }

    /// `12:05`, `1:02:03`.
    private static func duration(_ seconds: Double) -> String {
        guard 0..<1e9 ~= seconds else { return words(seconds) }
        let whole = Int(seconds)
        func padded(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        let (hours, minutes) = (whole / 3_600, whole / 60 % 60)
        return (hours > 0 ? "\(hours):\(padded(minutes))" : "\(minutes)") + ":" + padded(whole % 60)
    }
}
