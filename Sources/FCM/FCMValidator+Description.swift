// What an accepted message is, read once all checks have passed.

import Basics
import HTTP
import Pushes

extension FCMValidator {
    func describe(_ facts: inout MessageFacts, _ body: ByteBuffer) {
        let scanner = reader.scanner
        if let node = reader.node(.validateOnly) {
            facts.isDryRun = scanner.node(node).kind == .true || scanner.isString(node, "true")
        }
        facts.hasNotification = reader.node(.notification) != nil || reader.node(.androidNotification) != nil
        facts.hasData = reader.node(.data) != nil || reader.node(.androidData) != nil
        if let node = reader.node(.priority) {
            let text = scanner.content(node)
            facts.isHighPriority = text.count == 4 || text.count == 1 && text[0] == UInt8(ascii: "1")
        }
        if reader.node(.remoteNotification) != nil { facts.isHighPriority = true }
        if let node = reader.node(.collapseKey) {
            facts.collapseMark = UInt32(truncatingIfNeeded: Hash128(hashing: scanner.content(node)).low) | 1
        }
        if let node = reader.node(.liveActivityToken) { facts.liveActivityToken = place(of: node) }
        if let headers = reader.node(.apnsHeaders) {
            func field(_ name: StaticString) -> Range<Int> { scanner.member(name, of: headers).map(place(of:)) ?? 0..<0 }
            facts.apnsTopic = field("apns-topic")
            facts.apnsPriority = field("apns-priority")
            facts.apnsExpiration = field("apns-expiration")
            facts.apnsCollapseID = field("apns-collapse-id")
        }
        guard let payload = reader.node(.apnsPayload) else { return }
        facts.apnsPayload = place(of: payload)
        guard let aps = scanner.member("aps", of: payload) else { return }
        if let stamp = scanner.member("timestamp", of: aps) { facts.stamp = scanner.wholeNumber(stamp) }
        guard let event = scanner.member("event", of: aps), scanner.node(event).kind != .null else { return }
        facts.event = ActivityEvent.allCases.first { scanner.isString(event, $0.word) }
        facts.hasUnknownEvent = facts.event == nil
    }

    /// Where the text under a key of the data stands in the body that was accepted last; empty: nowhere.
    package func place(ofData key: String) -> Range<Int> {
        let scanner = reader.scanner
        // `android.data` stands in the place of `data`.
        guard let map = reader.node(.androidData) ?? reader.node(.data) else { return 0..<0 }
        var child = Int(scanner.node(map).firstChild)
        while child >= 0 {
            if scanner.keyContent(child).says(key) { return place(of: child) }
            child = Int(scanner.node(child).next)
        }
        return 0..<0
    }
}
