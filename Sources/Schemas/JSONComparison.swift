// What was handed to a relay and what it sent on: the same values, or where they differ.

package import Basics

/// A text that the relay may cut.
package struct Truncation: Hashable, Sendable {
    /// Where it stands in what was sent on.
    package var at: JSONPointerPath
    /// About how many characters remain.
    package var length: Int

    package init(at: JSONPointerPath, length: Int) {
        self.at = at
        self.length = length
    }
}

/// Compares parts of two documents. Members may stand in any order, numbers in any spelling, and JSON text in a string
/// counts as what it says where the other side has an object or a list. Confined to one thread.
package final class JSONComparison {
    /// More differences than these are not told.
    private static let findingsMax = 8
    /// Up to this many members are looked for one by one.
    private static let smallObject = 8

    private let sent = JSONLevels()
    private let pushed = JSONLevels()
    private let lengths: [String: Int]
    private var findings: [SchemaFinding] = []
    /// What was sent knows no kinds of values: a text there may be a number or a boolean here.
    private var isOfTexts = false

    package init(truncations: [Truncation]) {
        lengths = Dictionary(truncations.map { ($0.at.text, $0.length) }) { first, _ in first }
    }

    /// Takes the call's body and the push's payload. A body that is no JSON has nothing to pass on; a payload that is none
    /// is a difference.
    ///
    /// `scanner` may hold the payload already; then it is not scanned again. `ofTexts`: the body was a form, whose fields are
    /// texts, also where they say a number.
    package func begin(
        sent body: Span<UInt8>, pushed payload: Span<UInt8>, heldBy scanner: JSONScanner? = nil, ofTexts: Bool = false
    ) -> Bool {
        findings = []
        isOfTexts = ofTexts
        guard sent.start(body, pointer: "") == nil else { return false }
        if let scanner, scanner.scan(payload) == nil {
            pushed.start(scanner, pointer: "")
            return true
        }
        if let error = pushed.start(payload, pointer: "") {
            tell("is not JSON: \(error.explanation), at byte \(error.offset)")
            return false
        }
        return true
    }

    /// Notes where the value at `place` of the payload is not that at `source` of the body. What the body does not have
    /// need not arrive. `orNothing`: where it is null there, it may be absent here.
    package func compare(_ place: JSONPointerPath, with source: JSONPointerPath, orNothing: Bool = false) {
        sent.rewind()
        pushed.rewind()
        guard let wanted = sent.walk(source) else { return }
        guard let found = pushed.walk(place) else {
            if orNothing, sent.json.node(wanted).kind == .null { return }
            findings.append(SchemaFinding(pointer: place.text, reason: "is missing"))
            return
        }
        compare(wanted, found)
    }

    /// What was noted since `begin`, in the order of the comparisons.
    package func end() -> [SchemaFinding] { Array(findings.prefix(Self.findingsMax)) }

    private func compare(_ wanted: Int, _ found: Int) {
        // The same text says the same, as long as no key stands twice in it.
        if !pushed.json.allowsRepeatedKeys, sent.json.text(wanted).equals(pushed.json.text(found)) { return }
        let (a, b) = (sent.json.node(wanted), pushed.json.node(found))
        switch (a.kind, b.kind) {
        case (.object, .object): compareMembers(wanted, found)
        case (.array, .array): compareItems(wanted, found)
        case (.object, .string), (.array, .string):
            if let error = pushed.descend(into: found) {
                return tell("holds no JSON text: \(error.explanation), at byte \(error.offset)")
            }
            compare(wanted, 0)
            pushed.ascend()
        case (.string, .string): compareTexts(wanted, found)
        case (.string, .number) where isOfTexts:
            if Double(sent.json.string(wanted) ?? "") != pushed.json.double(found) { tellValues(wanted, found) }
        case (.string, .true) where isOfTexts, (.string, .false) where isOfTexts:
            if sent.json.string(wanted) != pushed.json.text(found).text { tellValues(wanted, found) }
        case (.number, .number):
            let (whole, other) = (sent.json.integer(wanted), pushed.json.integer(found))
            let isSame =
                whole != nil && other != nil ? whole == other : sent.json.double(wanted) == pushed.json.double(found)
            if !isSame { tellValues(wanted, found) }
        default: if a.kind != b.kind { tellValues(wanted, found) }
        }
    }

    private func compareItems(_ wanted: Int, _ found: Int) {
        let (count, other) = (sent.json.node(wanted).childCount, pushed.json.node(found).childCount)
        guard count == other else { return tell("has \(other) items, not \(count)") }
        var (a, b) = (Int(sent.json.node(wanted).firstChild), Int(pushed.json.node(found).firstChild))
        var index = 0
        while a >= 0, b >= 0, findings.count < Self.findingsMax {
            pushed.enter(element: index)
            compare(a, b)
            pushed.leave()
            (a, b) = (Int(sent.json.node(a).next), Int(pushed.json.node(b).next))
            index += 1
        }
    }

    private func compareMembers(_ wanted: Int, _ found: Int) {
        let places = pushed.json.node(found).childCount > Self.smallObject ? index(of: found) : nil
        var met: [Int] = []
        var child = Int(sent.json.node(wanted).firstChild)
        while child >= 0, findings.count < Self.findingsMax {
            if let other = member(named: child, of: found, places) {
                met.append(other)
                pushed.enter(member: other)
                compare(child, other)
                pushed.leave()
            } else {
                tell("lacks the key \"\(clipped(sent.json.key(child) ?? ""))\"")
            }
            child = Int(sent.json.node(child).next)
        }
        // Only of a call that names a key twice one member can be met twice.
        let count = sent.json.allowsRepeatedKeys ? Set(met).count : met.count
        guard count < Int(pushed.json.node(found).childCount) else { return }
        let known = Set(met)
        child = Int(pushed.json.node(found).firstChild)
        while child >= 0, findings.count < Self.findingsMax {
            if !known.contains(child) {
                pushed.enter(member: child)
                tell("is not in the call")
                pushed.leave()
            }
            child = Int(pushed.json.node(child).next)
        }
    }

    /// The member of the pushed object that has the key of a member of the sent one.
    private func member(named child: Int, of found: Int, _ places: [ExactText: Int]?) -> Int? {
        if let places { return places[ExactText(sent.json.key(child) ?? "")] }
        if !sent.json.node(child).keyHasEscapes {
            return pushed.json.member(sent.json.keyContent(child), of: found)
        }
        var key = sent.json.key(child) ?? ""
        return key.withUTF8 { pushed.json.member($0.span, of: found) }
    }

    private func index(of object: Int) -> [ExactText: Int] {
        var places: [ExactText: Int] = [:]
        var child = Int(pushed.json.node(object).firstChild)
        while child >= 0 {
            let key = ExactText(pushed.json.key(child) ?? "")
            if places[key] == nil { places[key] = child }
            child = Int(pushed.json.node(child).next)
        }
        return places
    }

    private func compareTexts(_ wanted: Int, _ found: Int) {
        let isPlain = !sent.json.node(wanted).hasEscapes && !pushed.json.node(found).hasEscapes
        if isPlain, sent.json.content(wanted).equals(pushed.json.content(found)) { return }
        let (whole, text) = (sent.json.string(wanted) ?? "", pushed.json.string(found) ?? "")
        if ExactText(whole) == ExactText(text) { return }
        guard let length = lengths[pushed.pointer] else { return tell(Self.difference(text, whole)) }
        let cut = CutText(text, of: whole, length: length)
        if !cut.isBeginning { tell(Self.difference(text, whole)) } else if let flaw = cut.flaw { tell(flaw) }
    }

    private func tellValues(_ wanted: Int, _ found: Int) {
        tell("is \(clipped(pushed.json.text(found).text)), not \(clipped(sent.json.text(wanted).text))")
    }

    /// From shortly before the first letter that differs.
    private static func difference(_ text: String, _ whole: String) -> String {
        let same = zip(text.unicodeScalars, whole.unicodeScalars).prefix { $0 == $1 }.count
        func excerpt(_ text: String) -> String {
            let start = max(0, same - 12)
            return "\"" + (start > 0 ? "…" : "") + clipped(String(text.unicodeScalars.dropFirst(start))) + "\""
        }
        return "is \(excerpt(text)), not \(excerpt(whole))"
    }

    private func tell(_ reason: String) { findings.append(SchemaFinding(pointer: pushed.pointer, reason: reason)) }
}

/// Text that is the same only when its bytes are.
struct ExactText: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (a: ExactText, b: ExactText) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

/// What a relay left of a text that it may cut to about `length` characters: its beginning, with or without an ellipsis.
/// Relays count in bytes, UTF-16 units, scalars or what a reader sees as one, and some cut between words; so a text may be
/// cut when its bytes are more than `length`, and at least a quarter of `length` must remain.
struct CutText {
    /// The whole begins so.
    let isBeginning: Bool
    /// Why a beginning is not one that the relay may leave; nil when it is.
    let flaw: String?

    init(_ text: String, of whole: String, length: Int) {
        var kept = Array(text.utf8)
        for ellipsis in [Array("…".utf8), Array("...".utf8)] where kept.count >= ellipsis.count {
            guard kept.suffix(ellipsis.count).elementsEqual(ellipsis) else { continue }
            kept.removeLast(ellipsis.count)
            break
        }
        while kept.last == UInt8(ascii: " ") { kept.removeLast() }
        let scalars = kept.count { $0 & 0xC0 != 0x80 }
        isBeginning = whole.utf8.starts(with: kept)
        if whole.utf8.count <= length {
            flaw = "is cut, though the whole has only \(whole.utf8.count) bytes and \(length) fit"
        } else if scalars * 4 < length {
            flaw = "is cut to \(scalars) characters, though about \(length) fit"
        } else {
            flaw = nil
        }
    }
}

/// A text of somebody else's for a sentence: not too long.
func clipped(_ text: String) -> String {
    let start = text.prefix(60)
    return start.endIndex < text.endIndex ? start + "…" : text
}
