// Holds a push against what its call declares of headers, alert, sound and dates, or of a message to FCM. Only what the push
// says counts: no value is asked for that a relay could not know.

package import Basics
package import Pushes
import Schemas

/// A push as its request said it.
package struct DeclarablePush {
    package var form: PushForm
    package var priority: String?
    package var topic: String?
    package var collapseID: String?
    package var expiration: String?
    /// When it came, by each clock that its relay may go by.
    package var arrivals: [WallTime]
    /// `aps.timestamp`.
    package var stamp: Int64?
    /// Of a message to FCM.
    package var isHigh = false
    package var hasNotification = false
    /// Between which the relay was given the call.
    package var told: ClosedRange<WallTime>

    package init(form: PushForm, arrivals: [WallTime], told: ClosedRange<WallTime>) {
        self.form = form
        self.arrivals = arrivals
        self.told = told
    }
}

/// Confined to one thread.
package final class DeclaredChecker {
    private let calls: [[PushForm: DeclaredPush]]
    private let scanner = JSONScanner(maxDepth: 128, maxNodes: 16_384)
    private let comparison: JSONComparison
    /// What clocks differ by. (Our choice, as for `passes`.)
    private static let clockSlack: Int64 = 60
    private static let longestWord = 80
    /// Apple, Sending notification requests to APNs (P23).
    package static let mostCollapseBytes = 64

    /// Nil where no call of the profile declares anything.
    package init?(_ profile: Profile) {
        calls = profile.calls.map(\.declared)
        guard calls.contains(where: { !$0.isEmpty }) else { return nil }
        comparison = JSONComparison(truncations: profile.content.truncations)
    }

    package func judges(call: Int, _ form: PushForm) -> Bool { calls.indices.contains(call) && calls[call][form] != nil }

    /// Nil where the call declares none.
    package func collapseID(call: Int, _ form: PushForm) -> Template? {
        guard judges(call: call, form), case .template(let template) = calls[call][form]?.collapseID else { return nil }
        return template
    }

    /// `render`: what a template says of the call; nil where nobody knows.
    package func deviations(
        _ push: DeclarablePush, _ payload: Span<UInt8>, call: Int, render: (Template) -> [UInt8]?
    ) -> [PushDeviation] {
        guard judges(call: call, push.form), let declared = calls[call][push.form] else { return [] }
        if push.form.provider == .fcm { return declared.message.map { message(push, $0, payload) } ?? [] }
        var found = headers(push, declared, render)
        guard scanner.scan(payload) == nil, let aps = scanner.member("aps", of: 0) else { return found }
        if let alert = declared.alert { found += deviations(of: alert, aps, payload, render) }
        if let wanted = declared.sound { found += compare("sound", wanted, sound(aps), render) }
        if let date = declared.staleDate { found += compare("staleDate", date, member("stale-date", of: aps), push) }
        if let date = declared.dismissalDate {
            found += compare("dismissalDate", date, member("dismissal-date", of: aps), push)
        }
        if let score = declared.relevanceScore { found += compare(score, member("relevance-score", of: aps)) }
        return found
    }

    // MARK: Messages to FCM

    private func message(
        _ push: DeclarablePush, _ declared: DeclaredPush.Message, _ request: Span<UInt8>
    ) -> [PushDeviation] {
        func words(_ isHigh: Bool) -> String { isHigh ? "high" : "normal" }
        func words(there: Bool) -> String { there ? "a notification block" : "none" }
        var found: [PushDeviation] = []
        if let isHigh = declared.isHigh, isHigh != push.isHigh {
            found.append(PushDeviation("message.priority", expected: words(isHigh), seen: words(push.isHigh)))
        }
        if let there = declared.hasNotification, there != push.hasNotification {
            found.append(
                PushDeviation(
                    "message.notification", expected: words(there: there), seen: words(there: push.hasNotification)))
        }
        guard let keys = declared.data, scanner.scan(request) == nil else { return found }
        let given = member("message", of: 0).flatMap { member("data", of: $0) }.map(keys(of:)) ?? []
        if given != keys {
            func list(_ keys: Set<String>) -> String { keys.isEmpty ? "none" : clipped(keys.sorted().joined(separator: ", ")) }
            found.append(PushDeviation("message.data", expected: list(keys), seen: list(given)))
        }
        return found
    }

    private func keys(of object: Int) -> Set<String> {
        var keys: Set<String> = []
        var child = Int(scanner.node(object).firstChild)
        while child >= 0 {
            if let key = scanner.key(child) { keys.insert(key) }
            child = Int(scanner.node(child).next)
        }
        return keys
    }

    // MARK: Headers

    private func headers(
        _ push: DeclarablePush, _ declared: DeclaredPush, _ render: (Template) -> [UInt8]?
    ) -> [PushDeviation] {
        var found: [PushDeviation] = []
        // Apple reads 10 where there is none.
        let priority = push.priority.map { Int($0) ?? 0 } ?? 10
        if !declared.priorities.isEmpty, !declared.priorities.contains(priority) {
            let wanted = declared.priorities.sorted().map { String($0) }.joined(separator: " or ")
            found.append(
                PushDeviation("headers.priority", expected: wanted, seen: push.priority.map(clipped) ?? "none, which is 10"))
        }
        if let wanted = declared.topic { found += compare("headers.topic", wanted, push.topic, render) }
        if let wanted = declared.collapseID { found += compare(collapseID: wanted, push.collapseID, render) }
        if let wanted = declared.expiration, !isRight(push.expiration, wanted, push.arrivals) {
            let words =
                switch wanted {
                case .none: "none"
                case .atOnce: "0"
                case .within(let span): "a time within \(span) of the push"
                }
            found.append(
                PushDeviation("headers.expiration", expected: words, seen: seen(push.expiration, push.arrivals)))
        }
        return found
    }

    private func isRight(_ header: String?, _ wanted: DeclaredPush.Expiration, _ arrivals: [WallTime]) -> Bool {
        switch wanted {
        case .none: return header == nil
        case .atOnce: return header == "0"
        case .within(let span):
            guard let time = header.flatMap({ Int64($0) }) else { return false }
            let longest = Int64(span.seconds.rounded(.up)) + Self.clockSlack
            return arrivals.contains { $0.seconds - Self.clockSlack <= time && time <= $0.seconds + longest }
        }
    }

    private func seen(_ header: String?, _ arrivals: [WallTime]) -> String {
        guard let header else { return "none" }
        guard let time = Int64(header), time > 0, let now = arrivals.first?.seconds else { return clipped(header) }
        let (ahead, isOver) = time.subtractingReportingOverflow(now)
        return isOver ? clipped(header) : "\(clipped(header)), which is \(Self.span(ahead))"
    }

    // MARK: Alert and sound

    private func deviations(
        of alert: DeclaredPush.Alert, _ aps: Int, _ payload: Span<UInt8>, _ render: (Template) -> [UInt8]?
    ) -> [PushDeviation] {
        let node = member("alert", of: aps)
        let says = node.map { scanner.saysSomething(alert: $0) } ?? false
        let words = node == nil ? "none" : says ? "an alert with text" : "an alert without text"
        switch alert {
        case .present: return says ? [] : [PushDeviation("alert", expected: "one with a title or a body", seen: words)]
        case .absent: return node == nil ? [] : [PushDeviation("alert", expected: "none", seen: words)]
        case .silent:
            if let sound = sound(aps) {
                return [PushDeviation("alert", expected: "a silent one", seen: "one with the sound \(clipped(sound))")]
            }
            return node != nil && !says ? [] : [PushDeviation("alert", expected: "one without text", seen: words)]
        case .says(let template, let keys):
            guard let said = render(template) else { return [] }
            return keys.compactMap { difference(in: $0, of: said, node, payload) }
        }
    }

    /// A plain text is the body. Texts that the relay may cut may be cut here as well.
    private func difference(in key: String, of said: [UInt8], _ alert: Int?, _ payload: Span<UInt8>) -> PushDeviation? {
        let isPlain = key == "body" && alert.map { scanner.string($0) != nil } ?? false
        let place = isPlain ? "/aps/alert" : "/aps/alert/" + key
        guard let at = JSONPointerPath(place), let from = JSONPointerPath("/" + key),
            comparison.begin(sent: said.span, pushed: payload)
        else { return nil }
        comparison.compare(at, with: from)
        guard !comparison.end().isEmpty else { return nil }
        let wanted = (try? JSONValue(parsing: said.span))?[key]?.string ?? ""
        let found = (try? JSONValue(parsing: payload))?.at(pointer: place)
        return PushDeviation(
            "alert." + key, expected: clipped(wanted), seen: found.map { clipped($0.string ?? $0.text) } ?? "none")
    }

    /// Beside the alert or within it, where ActivityKit reads it; a critical one has a name.
    private func sound(_ aps: Int) -> String? {
        let own = member("sound", of: aps)
        guard let node = own ?? member("alert", of: aps).flatMap({ member("sound", of: $0) }) else { return nil }
        return scanner.string(node) ?? member("name", of: node).flatMap { scanner.string($0) } ?? "one without a name"
    }

    /// Of what is longer than APNs takes some shorter ID is made, and which is the relay's to say.
    private func compare(
        collapseID wanted: DeclaredPush.Text, _ found: String?, _ render: (Template) -> [UInt8]?
    ) -> [PushDeviation] {
        if found != nil, case .template(let template) = wanted, let said = render(template),
            said.count > Self.mostCollapseBytes
        {
            return []
        }
        return compare("headers.collapseID", wanted, found, render)
    }

    private func compare(
        _ field: String, _ wanted: DeclaredPush.Text, _ found: String?, _ render: (Template) -> [UInt8]?
    ) -> [PushDeviation] {
        var words: String?
        if case .template(let template) = wanted {
            guard let said = render(template) else { return [] }
            words = String(decoding: said, as: UTF8.self)
        }
        if words == found { return [] }
        return [PushDeviation(field, expected: words.map(clipped) ?? "none", seen: found.map(clipped) ?? "none")]
    }

    // MARK: Dates and scores

    private func compare(
        _ field: String, _ wanted: DeclaredPush.Date, _ node: Int?, _ push: DeclarablePush
    ) -> [PushDeviation] {
        guard case .between(let earliest, let latest, let origin) = wanted else {
            return node.map { [PushDeviation(field, expected: "none", seen: text($0))] } ?? []
        }
        let since: ClosedRange<Int64>
        switch origin {
        // Whether there is a timestamp is judged by itself.
        case .timestamp:
            guard let stamp = push.stamp else { return [] }
            since = stamp...stamp
        case .call: since = push.told.lowerBound.seconds...push.told.upperBound.seconds
        }
        let (first, last) = (Int64(earliest.seconds.rounded(.down)), Int64(latest.seconds.rounded(.up)))
        let expected = "\(first) to \(last) s after the \(origin == .call ? "call" : "timestamp")"
        guard let node else { return [PushDeviation(field, expected: expected, seen: "none")] }
        guard let date = scanner.wholeNumber(node) else {
            return [PushDeviation(field, expected: expected, seen: text(node))]
        }
        let (distance, isOver) = date.subtractingReportingOverflow(since.lowerBound)
        let width = since.upperBound - since.lowerBound
        // What is past is now (Apple, Ending Live Activities).
        let isNow = field == "dismissalDate" && first <= 0 && !isOver && distance <= 0
        if !isOver, isNow || first <= distance && distance <= last + width { return [] }
        return [PushDeviation(field, expected: expected, seen: isOver ? String(date) : "\(date), \(Self.span(distance))")]
    }

    private func compare(_ wanted: DeclaredPush.Score, _ node: Int?) -> [PushDeviation] {
        let seen = node.map(text) ?? "none"
        switch wanted {
        case .none: return node == nil ? [] : [PushDeviation("relevanceScore", expected: "none", seen: seen)]
        case .exactly(let score):
            if let node, scanner.double(node) == score { return [] }
            return [PushDeviation("relevanceScore", expected: Self.words(score), seen: seen)]
        }
    }

    // MARK: Words

    /// Null is not there.
    private func member(_ key: StaticString, of node: Int) -> Int? {
        scanner.member(key, of: node).flatMap { scanner.node($0).kind == .null ? nil : $0 }
    }

    private func text(_ node: Int) -> String {
        let scanner = scanner
        return clipped(scanner.text(node).text)
    }

    private static func words(_ score: Double) -> String {
        score == score.rounded() ? String(Int64(score)) : String(score)
    }

    private static func span(_ seconds: Int64) -> String {
        seconds < 0 ? "\(seconds.magnitude) s earlier" : "\(seconds) s later"
    }

    private func clipped(_ text: String) -> String {
        text.count <= Self.longestWord ? text : text.prefix(Self.longestWord) + "…"
    }
}

extension JSONScanner {
    /// An alert with a title or a body, be it a key into the app's own texts.
    package func saysSomething(alert: Int) -> Bool {
        if let text = string(alert) { return !text.isEmpty }
        let keys: [StaticString] = ["title", "body", "title-loc-key", "loc-key"]
        return keys.contains { key in
            guard let said = member(key, of: alert) else { return false }
            return string(said).map { !$0.isEmpty } ?? (member("loc-key", of: said) != nil)
        }
    }
}
