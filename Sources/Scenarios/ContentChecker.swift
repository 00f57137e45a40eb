// Holds the payload of a push against its profile: whether the app can read it, whether it keeps the contract, and
// whether it says what the relay was given.

package import Basics
package import Pushes
package import Schemas

/// A profile's schemas and passages with the memory to check pushes with. Confined to one thread.
package final class ContentChecker {
    private let profile: Profile
    private let contentState: SchemaChecker?
    private let attributes: SchemaChecker?
    private let scanner = JSONScanner(maxDepth: 128, maxNodes: 16_384)
    private let comparison: JSONComparison
    /// By call.
    private let passages: [[Passage]]

    package init(_ profile: Profile) {
        self.profile = profile
        passages = profile.calls.map { call in (call.passes ?? profile.content.passes).map(Passage.init) }
        contentState = profile.content.contentState.map(SchemaChecker.init)
        attributes = profile.content.attributes.map(SchemaChecker.init)
        comparison = JSONComparison(truncations: profile.content.truncations)
    }

    /// Whether the profile says anything that `verdict` could find broken.
    package var judgesSchemas: Bool {
        contentState != nil || attributes != nil || profile.content.attributesType != nil
    }

    /// Whether `differences` compares anything for such a push of this call.
    package func judgesPassing(call: Int, _ push: PushForm) -> Bool {
        passages.indices.contains(call) && passages[call].contains { $0.covers(push) }
    }

    /// Of a Live Activity push to APNs; of any other nothing is said. Pointers lead from the payload's root.
    package func verdict(_ payload: Span<UInt8>, _ push: PushForm) -> SchemaVerdict {
        guard push.provider == .apns, push.type == .liveactivity, judgesSchemas else { return SchemaVerdict() }
        let event = push.event
        let scanner = scanner
        if let error = scanner.scan(payload) {
            return Self.unread("", "is not JSON: \(error.explanation), at byte \(error.offset)")
        }
        guard let aps = scanner.member("aps", of: 0) else { return Self.unread("", "lacks the key \"aps\"") }
        var verdict = SchemaVerdict()
        if let contentState {
            if let node = scanner.member("content-state", of: aps) {
                verdict.add(contentState.check(node, of: scanner, at: "/aps/content-state"))
            } else if event != .end {
                // An end without a state leaves the last one on the card.
                verdict.add(Self.unread("/aps", "lacks the key \"content-state\""))
            }
        }
        guard event == .start else { return verdict }
        if let attributes {
            if let node = scanner.member("attributes", of: aps) {
                verdict.add(attributes.check(node, of: scanner, at: "/aps/attributes"))
            } else {
                verdict.add(Self.unread("/aps", "lacks the key \"attributes\""))
            }
        }
        if let wanted = profile.content.attributesType {
            let found = scanner.member("attributes-type", of: aps)
            if let found, scanner.string(found) != wanted {
                let text = scanner.text(found).text.prefix(60)
                verdict.add(Self.unread("/aps/attributes-type", "is \(text), not \"\(wanted)\""))
            } else if found == nil {
                verdict.add(Self.unread("/aps", "lacks the key \"attributes-type\""))
            }
        }
        return verdict
    }

    /// Whether the payload that `verdict` was asked about last has an `alert` in its `aps`.
    package var hasAlert: Bool { scanner.member("aps", of: 0).flatMap { scanner.member("alert", of: $0) } != nil }

    /// Where the payload does not say what the call said. `body`: the call as it was sent (`CallRenderer`); `call`: its
    /// index in the profile.
    package func differences(
        _ payload: Span<UInt8>, _ push: PushForm, call: Int, body: Span<UInt8>
    ) -> [SchemaFinding] {
        guard judgesPassing(call: call, push) else { return [] }
        let isForm = profile.calls[call].saying != nil
        if comparison.begin(sent: body, pushed: payload, heldBy: scanner, ofTexts: isForm) {
            for passage in passages[call] where passage.isOfBody && passage.covers(push) {
                comparison.compare(passage.at, with: passage.from)
            }
        }
        let findings = comparison.end()
        guard passages[call].contains(where: { $0.fixed != nil }) else { return findings }
        return findings + fixedDifferences(payload, push, call: call)
    }

    /// How far ahead of the push a time may lie that says "now" or "since then": what clocks differ by. (Our choice.)
    private static let ahead = 60.0

    /// Where a time in the payload is not that at which the push came, or lies further back, or ahead, than it may.
    package func misdated(
        _ payload: Span<UInt8>, _ push: PushForm, call: Int, arrivedAt: WallTime
    ) -> [SchemaFinding] {
        guard passages.indices.contains(call) else { return [] }
        let clocks = passages[call].filter { $0.clock != nil && $0.covers(push) }
        guard !clocks.isEmpty else { return [] }
        let pushed = try? JSONValue(parsing: payload)
        return clocks.compactMap { passage in
            guard let (epoch, within) = passage.clock else { return nil }
            let now = Double(arrivedAt.milliseconds) / 1_000 - Double(epoch)
            let found = pushed?.at(pointer: passage.at.text)
            let ahead = min(Self.ahead, within.seconds)
            if let told = found?.double, (now - within.seconds...now + ahead).contains(told) { return nil }
            let seen = found.map { String($0.text.prefix(40)) } ?? "not there"
            let isAhead = found?.double.map { now + ahead < $0 && $0 <= now + within.seconds } ?? false
            let wrong =
                isAhead
                ? "is \(seen), ahead of the time, which is \(Int64(now))"
                : "is \(seen), not the time, which is \(Int64(now)), to within \(within)"
            return SchemaFinding(pointer: passage.at.text, reason: wrong)
        }
    }

    private func fixedDifferences(_ payload: Span<UInt8>, _ push: PushForm, call: Int) -> [SchemaFinding] {
        var findings: [SchemaFinding] = []
        for passage in passages[call] where passage.covers(push) && !passage.isSaidInAnotherForm(payload) {
            guard let fixed = passage.fixed, comparison.begin(sent: fixed.span, pushed: payload, heldBy: scanner)
            else { continue }
            comparison.compare(passage.at, with: passage.from, orNothing: true)
            findings += comparison.end()
        }
        return findings
    }

    /// Where the end of an activity that grew too old does not show what the profile says it shows; nil: it does.
    package func lackOfAgedEnd(_ payload: Span<UInt8>) -> String? {
        for showing in profile.activities.end?.shows ?? [] {
            var lack: SchemaFinding?
            for value in showing.values {
                let wanted = JSONValue.object(["is": value]).encoded()
                guard comparison.begin(sent: wanted.span, pushed: payload) else { continue }
                comparison.compare(showing.at, with: JSONPointerPath("/is")!)
                lack = comparison.end().first
                if lack == nil { break }
            }
            if let lack { return lack.description }
        }
        return nil
    }

    private static func unread(_ pointer: String, _ reason: String) -> SchemaVerdict {
        SchemaVerdict(doesNotDecode: [SchemaFinding(pointer: pointer, reason: reason)])
    }
}

/// What a profile tells pushes apart by.
package struct PushForm: Hashable, Sendable {
    package var provider: Provider
    package var type: PushType
    package var event: ActivityEvent?

    package init(_ provider: Provider, _ type: PushType, _ event: ActivityEvent? = nil) {
        self.provider = provider
        self.type = type
        self.event = event
    }
}

/// A `PassRule` as it is asked about push by push: in a place of its own, so that nothing of it is copied.
private final class Passage {
    let at: JSONPointerPath
    let from: JSONPointerPath
    /// A body of our own for `from`, in place of the call's.
    let fixed: [UInt8]?
    /// No value at all, but the time.
    let clock: (epoch: Int64, within: Interval)?
    /// Of a field of FCM's that holds one word of a list: what it has to be, and its number in that list.
    private let word: (text: String, number: Int64)?
    private let provider: Provider
    private let channel: PushType?
    private let isOfAnyEvent: Bool
    private let events: [ActivityEvent]

    init(_ rule: PassRule) {
        at = rule.at
        switch rule.source {
        case .body(let path): (from, fixed, clock) = (path, nil, nil)
        case .fixed(let value): (from, fixed, clock) = (Self.own, JSONValue.object(["is": value]).encoded(), nil)
        case .clock(let epoch, let within): (from, fixed, clock) = (Self.own, nil, (epoch, within))
        }
        word =
            if rule.provider == .fcm, case .fixed(.string(let text)) = rule.source,
                let number = Self.words[rule.at.text]?.firstIndex(of: text)
            {
                (text, Int64(number))
            } else {
                nil
            }
        provider = rule.provider
        channel = rule.channel
        isOfAnyEvent = rule.events.isEmpty
        events = ActivityEvent.allCases.filter(rule.events.contains)
    }

    private static let own = JSONPointerPath("/is")!
    /// FCM takes them in any case of letters, or by their numbers: Google's own libraries write `high` (docs/fcm.md §1).
    private static let words = ["/message/android/priority": ["NORMAL", "HIGH"]]

    /// Whether a word of a list stands there in another case of letters, or as its number.
    func isSaidInAnotherForm(_ payload: Span<UInt8>) -> Bool {
        guard let word, let said = (try? JSONValue(parsing: payload))?.at(pointer: at.text) else { return false }
        return said.int == word.number || said.string?.uppercased() == word.text
    }

    /// It compares with what the call said.
    var isOfBody: Bool { fixed == nil && clock == nil }

    func covers(_ push: PushForm) -> Bool {
        guard provider == push.provider, channel == nil || channel == push.type else { return false }
        return isOfAnyEvent || push.event.map(events.contains) ?? false
    }
}
