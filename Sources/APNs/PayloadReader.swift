// What a device will find in a payload, read in one pass over the members of `aps` (docs/apns.md §5, §10).

import Basics
import Pushes

/// Reads payloads. One per loop.
final class PayloadReader {
    /// Deep enough for any content state; the payload's size bounds the number of nodes.
    private let scanner = JSONScanner(maxDepth: 128, maxNodes: 4096)
    private let attributesTypes: [String]?

    /// `attributesTypes`: those that a start may name; nil: any.
    init(attributesTypes: [String]? = nil) { self.attributesTypes = attributesTypes }

    /// A member's value: its node, and what it is. A null is as good as absent.
    private struct Value {
        var node = -1
        var isObject = false
        /// A string with something in it.
        var isText = false

        var isGiven: Bool { node >= 0 }
    }

    /// The values of the keys we know.
    private struct Members {
        var alert = Value()
        var badge = Value()
        var sound = Value()
        var contentAvailable = Value()
        var contentChanged = Value()
        var interruptionLevel = Value()
        var relevanceScore = Value()
        var timestamp = Value()
        var event = Value()
        var contentState = Value()
        var attributes = Value()
        var attributesType = Value()
        var inputChannel = Value()
        var dismissalDate = Value()
        var staleDate = Value()

        mutating func note(_ key: Span<UInt8>, _ value: Value) {
            switch key.count {
            case 5 where key.matches("alert"): alert = value
            case 5 where key.matches("event"): event = value
            case 5 where key.matches("badge"): badge = value
            case 5 where key.matches("sound"): sound = value
            case 9 where key.matches("timestamp"): timestamp = value
            case 10 where key.matches("attributes"): attributes = value
            case 10 where key.matches("stale-date"): staleDate = value
            case 13 where key.matches("content-state"): contentState = value
            case 14 where key.matches("dismissal-date"): dismissalDate = value
            case 15 where key.matches("attributes-type"): attributesType = value
            case 15 where key.matches("content-changed"): contentChanged = value
            case 15 where key.matches("relevance-score"): relevanceScore = value
            case 17 where key.matches("content-available"): contentAvailable = value
            case 18 where key.matches("input-push-channel"): inputChannel = value
            case 18 where key.matches("interruption-level"): interruptionLevel = value
            default: break
            }
        }
    }

    func read(_ payload: Span<UInt8>, into facts: inout PushFacts) {
        let isActivity = facts.pushType == .liveactivity
        facts.payload.isRead = true
        guard scanner.scan(payload) == nil, case .object = scanner.node(0).kind else {
            if isActivity { facts.activity = ActivityFacts(defect: .notJSON) }
            return
        }
        facts.payload.isObject = true
        guard let members = members(of: payload) else {
            facts.payload.warnings |= PushWarning.noAPS.bit
            if isActivity { facts.activity = ActivityFacts(defect: .missingAPS) }
            return
        }
        facts.payload.hasAlert = members.alert.isGiven
        facts.payload.hasBadge = members.badge.isGiven
        facts.payload.hasSound = members.sound.isGiven
        facts.payload.isContentAvailable = wholeNumber(members.contentAvailable) == 1
        facts.payload.isContentChanged = isTrue(members.contentChanged)
        facts.payload.warnings |= warnings(members, isActivity: isActivity)
        if isActivity { facts.activity = activity(members) }
    }

    private func warnings(_ members: Members, isActivity: Bool) -> UInt32 {
        var bits: UInt32 = 0
        if isActivity {
            bits |= dates(members.contentState) | dates(members.attributes)
            if isNoNumber(members.staleDate) || isNoNumber(members.dismissalDate) {
                bits |= PushWarning.cardDateNotANumber.bit
            }
            if members.alert.isGiven, !members.alert.isObject { bits |= PushWarning.alertNotAnObject.bit }
        } else if members.relevanceScore.isGiven {
            let score = scanner.double(members.relevanceScore.node) ?? -1
            if !(0...1).contains(score) { bits |= PushWarning.relevanceOutOfRange.bit }
        }
        if members.interruptionLevel.isGiven, !isInterruptionLevel(members.interruptionLevel.node) {
            bits |= PushWarning.unknownInterruptionLevel.bit
        }
        return bits
    }

    private func isInterruptionLevel(_ node: Int) -> Bool {
        scanner.isString(node, "active") || scanner.isString(node, "time-sensitive")
            || scanner.isString(node, "passive") || scanner.isString(node, "critical")
    }

    private func isTrue(_ value: Value) -> Bool { value.isGiven && scanner.node(value.node).kind == .true }

    private func isNoNumber(_ value: Value) -> Bool { value.isGiven && scanner.node(value.node).kind != .number }

    /// Whether a number at any depth lies between the years 2017 and 2065 as Unix seconds, or as milliseconds. As seconds
    /// since 2001 that would be 2048 and later, which hardly any app means.
    private func dates(_ value: Value) -> UInt32 { value.isObject ? dates(below: value.node) : 0 }

    private func dates(below parent: Int) -> UInt32 {
        var bits: UInt32 = 0
        var child = Int(scanner.node(parent).firstChild)
        while child >= 0 {
            let node = scanner.node(child)
            switch node.kind {
            case .number:
                guard node.end - node.start >= 10, let number = scanner.wholeNumber(child) else { break }
                if 1_500_000_000...3_000_000_000 ~= number { bits |= PushWarning.unixDateInState.bit }
                if 1_500_000_000_000...3_000_000_000_000 ~= number { bits |= PushWarning.millisecondsInState.bit }
            case .object, .array: bits |= dates(below: child)
            default: break
            }
            child = Int(node.next)
        }
        return bits
    }

    /// Nil when the payload has no object `aps`.
    private func members(of payload: Span<UInt8>) -> Members? {
        guard let aps = scanner.member("aps", of: 0) else { return nil }
        let parent = scanner.node(aps)
        guard case .object = parent.kind else { return nil }
        var members = Members()
        var child = Int(parent.firstChild)
        while child >= 0 {
            let node = scanner.node(child)
            let here = child
            child = Int(node.next)
            var value = Value(node: here)
            switch node.kind {
            case .null: continue
            case .object: value.isObject = true
            case .string: value.isText = node.end - node.start > 2
            default: break
            }
            if node.keyHasEscapes {
                withBytes(of: scanner.key(here) ?? "") { members.note($0, value) }
            } else {
                members.note(payload.extracting(Int(node.keyStart)..<Int(node.keyEnd)), value)
            }
        }
        return members
    }

    private func activity(_ members: Members) -> ActivityFacts {
        var facts = ActivityFacts()
        facts.hasContentState = members.contentState.isGiven
        facts.hasAttributes = members.attributes.isGiven
        facts.hasAttributesType = members.attributesType.isGiven
        facts.hasAlert = members.alert.isGiven
        facts.timestamp = wholeNumber(members.timestamp)
        facts.dismissalDate = wholeNumber(members.dismissalDate)
        facts.staleDate = wholeNumber(members.staleDate)
        if members.event.isGiven {
            facts.event = event(members.event.node)
            facts.hasUnknownEvent = facts.event == nil
        }
        if facts.event == .start, members.inputChannel.isGiven { facts.inputChannel = channel(members.inputChannel.node) }
        facts.defect = defect(facts, members)
        return facts
    }

    private func size(_ value: Value) -> Int {
        guard value.isGiven else { return 0 }
        let node = scanner.node(value.node)
        return Int(node.end - node.start)
    }

    private func wholeNumber(_ value: Value) -> Int64? { value.isGiven ? scanner.wholeNumber(value.node) : nil }

    private func event(_ node: Int) -> ActivityEvent? {
        // In the order of their frequency.
        if scanner.isString(node, ActivityEvent.update.word) { return .update }
        if scanner.isString(node, ActivityEvent.end.word) { return .end }
        return scanner.isString(node, ActivityEvent.start.word) ? .start : nil
    }

    private func channel(_ node: Int) -> InputChannel {
        scanner.string(node).flatMap { ChannelID(text: $0) }.map(InputChannel.channel) ?? .unreadable
    }

    /// What §10 requires of all, of start and update, and of start.
    private func defect(_ facts: ActivityFacts, _ members: Members) -> ActivityDefect? {
        if !members.timestamp.isGiven { return .missingTimestamp }
        guard let timestamp = facts.timestamp else { return .timestampNotANumber }
        if !members.event.isGiven { return .missingEvent }
        guard let event = facts.event else { return .unknownEvent }
        if event != .end, !facts.hasContentState { return .missingContentState }
        if facts.hasContentState, !members.contentState.isObject { return .contentStateNotAnObject }
        if event == .start {
            if !facts.hasAttributesType { return .missingAttributesType }
            if !members.attributesType.isText { return .attributesTypeNotAString }
            if !facts.hasAttributes { return .missingAttributes }
            if !members.attributes.isObject { return .attributesNotAnObject }
            if !facts.hasAlert { return .missingAlert }
            // Costs a string, where the setting is made.
            if let attributesTypes, !attributesTypes.contains(scanner.string(members.attributesType.node) ?? "") {
                return .unknownAttributesType
            }
        }
        if size(members.contentState) + size(members.attributes) > ActivityFacts.maxDataBytes { return .dataTooLarge }
        return timestamp >= DateForm.millisecondsFrom ? .timestampInMilliseconds : nil
    }
}
