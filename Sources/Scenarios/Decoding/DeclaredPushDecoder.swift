// The keys of an expected push that say what it looks like. Their templates are those of the call, and judged only: what
// stands in no request cannot be compared with anything.

import Basics
import Pushes
import YAML

struct DeclaredPushDecoder {
    /// The call's, as it is after its request was read; of the profile's own list one without a call's variables.
    let compiler: TemplateCompiler
    let mistakes: Mistakes

    private static let keys = ["headers", "alert", "sound", "staleDate", "dismissalDate", "relevanceScore"]
    /// Of dates: a timestamp may be moved on, so that it differs from the one before. (Our choice.)
    private static let usualTolerance = Interval.seconds(10)
    private static let longest = Interval.seconds(366 * 86_400)

    /// The profile's list `declares`.
    func usual(_ fields: Fields) -> [UsualPush] {
        fields.items("declares").compactMap { node in
            guard let inner = Fields(node, .declared, mistakes), let told: PushChannel = inner.choice("channel")
            else { return nil }
            let events: Set<ActivityEvent> = inner.words("event")
            let channel = told.type(of: events.first)
            if !events.isEmpty, told.provider == .apns, channel != .liveactivity {
                mistakes.add("only a liveactivity push has an `event`", hint: "strike it", at: inner.value("event")!.place)
            }
            let declared = declared(inner, told.provider, channel, isEnd: events == [.end])
            return UsualPush(provider: told.provider, channel: channel, events: events, declared: declared)
        }
    }

    /// What a call's pushes look like, by what they are told apart by.
    func declared(_ pushes: [(push: ExpectedPush, fields: Fields)], _ usual: [UsualPush]) -> [PushForm: DeclaredPush] {
        var output: [PushForm: DeclaredPush] = [:]
        for (push, fields) in pushes {
            var declared = declared(fields, push.provider, push.channel, isEnd: push.event == .end)
            for usual in usual where usual.covers(push) { declared = declared.over(usual.declared) }
            if push.told == .collapseID, !declared.tellsOfCall {
                mistakes.add(
                    "a push that is told by its collapse ID needs one that differs from call to call",
                    hint: "declare `headers: { collapseID: \"{{id}}\" }`, of a variable that the call says",
                    at: fields.value("marked")!.place)
            }
            if let other = output.updateValue(declared, forKey: push.form), other != declared {
                mistakes.add(
                    "two pushes of the call are of one kind, and cannot be told apart", hint: "declare the same of both",
                    at: fields.node.place)
            }
        }
        return output.filter { $0.value != DeclaredPush() }
    }

    private func declared(
        _ fields: Fields, _ provider: Provider, _ channel: PushType, isEnd: Bool
    ) -> DeclaredPush {
        var declared = DeclaredPush()
        guard provider == .apns else {
            for key in Self.keys {
                guard let node = fields.value(key) else { continue }
                mistakes.add(
                    "a message to FCM has no `\(key)` of APNs", hint: "say what stands in it under `message` or `passes`",
                    at: node.place)
            }
            declared.message = message(fields)
            return declared
        }
        if let node = fields.value("message") {
            mistakes.add("only a push to FCM has a `message`", hint: "write `channel: fcm`, or strike it", at: node.place)
        }
        if let node = fields.value("headers"), let inner = Fields(node, .pushHeaders, mistakes) {
            headers(inner, into: &declared)
        }
        declared.alert = alert(fields)
        declared.sound = text(fields, "sound", none: "absent")
        if declared.alert == .silent, case .template = declared.sound {
            mistakes.add("a silent alert has no sound", hint: "strike one of the two", at: fields.value("sound")!.place)
        }
        declared.staleDate = date(fields, "staleDate")
        declared.dismissalDate = date(fields, "dismissalDate")
        for key in ["staleDate", "dismissalDate"] where channel != .liveactivity {
            guard let node = fields.value(key) else { continue }
            mistakes.add("only a liveactivity push has a `\(key)`", hint: "strike it", at: node.place)
        }
        if channel == .liveactivity, !isEnd, case .between = declared.dismissalDate {
            mistakes.add(
                "only the end of an activity dismisses its card", hint: "write it under a push with `event: end`",
                at: fields.value("dismissalDate")!.place)
        }
        // A notification's lies between 0 and 1, an activity's is any number (Apple, Generating a remote notification).
        declared.relevanceScore = score(fields, channel == .liveactivity ? -1e9...1e9 : 0...1)
        return declared
    }

    private enum MessagePriority: String, CaseIterable { case high, normal }
    private enum Presence: String, CaseIterable { case present, absent }

    private func message(_ fields: Fields) -> DeclaredPush.Message? {
        guard let node = fields.value("message"), let inner = Fields(node, .pushMessage, mistakes) else { return nil }
        let priority: MessagePriority? = inner.choice("priority")
        let notification: Presence? = inner.choice("notification")
        let keys = inner.value("data") == nil ? nil : Set(inner.texts("data"))
        return DeclaredPush.Message(
            isHigh: priority.map { $0 == .high }, hasNotification: notification.map { $0 == .present }, data: keys)
    }

    private func headers(_ fields: Fields, into declared: inout DeclaredPush) {
        if let node = fields.value("priority") {
            var nodes = [node]
            if case .sequence(let items) = node.content { nodes = items }
            let known: Set<Int64> = [1, 5, 10]
            let values = nodes.compactMap { $0.plainValue?.int }.filter(known.contains)
            if values.isEmpty || values.count < nodes.count { fields.wrong("priority", node, "1, 5 or 10, or a list of them") }
            declared.priorities = Set(values.map { Int($0) })
        }
        declared.topic = text(fields, "topic", none: nil)
        declared.collapseID = text(fields, "collapseID", none: "none")
        declared.expiration = expiration(fields)
    }

    private func expiration(_ fields: Fields) -> DeclaredPush.Expiration? {
        guard let node = fields.value("expiration") else { return nil }
        if case .mapping = node.content {
            guard let inner = Fields(node, .pushExpiration, mistakes) else { return nil }
            return inner.duration("within", .seconds(1)...Self.longest).map { .within($0) }
        }
        switch node.plainValue {
        case .integer(0): return .atOnce
        case .string("none"): return DeclaredPush.Expiration.none
        default:
            fields.wrong("expiration", node, "0, none or `{ within: 4h }`")
            return nil
        }
    }

    private func alert(_ fields: Fields) -> DeclaredPush.Alert? {
        guard let node = fields.value("alert") else { return nil }
        if case .mapping(let entries) = node.content {
            guard let inner = Fields(node, .pushAlert, mistakes) else { return nil }
            guard !entries.isEmpty, entries.allSatisfy({ isText($0.value, inner, $0.key) }) else { return .present }
            var compiler = judged
            let template = compiler.compile(json: node)
            check(compiler, at: node)
            return .says(template, entries.map(\.key))
        }
        switch node.plainValue {
        case .string("present"): return .present
        case .string("absent"): return .absent
        case .string("silent"): return .silent
        default:
            fields.wrong("alert", node, "present, absent, silent or what its members say")
            return nil
        }
    }

    private func isText(_ node: YAMLNode, _ fields: Fields, _ key: String) -> Bool {
        if case .string = node.plainValue { return true }
        fields.wrong(key, node, "text")
        return false
    }

    /// `none`: the word for "not there"; nil: it is always there.
    private func text(_ fields: Fields, _ key: String, none: String?) -> DeclaredPush.Text? {
        guard let text = fields.text(key), let node = fields.value(key) else { return nil }
        if text == none { return DeclaredPush.Text.none }
        var compiler = judged
        let template = compiler.compile(text: text, encoding: .raw, at: node.place)
        check(compiler, at: node)
        return .template(template)
    }

    private func date(_ fields: Fields, _ key: String) -> DeclaredPush.Date? {
        guard let node = fields.value(key) else { return nil }
        if case .string("absent") = node.plainValue { return DeclaredPush.Date.none }
        guard case .mapping = node.content else {
            return fields.duration(key, .zero...Self.longest).map { span($0, Self.usualTolerance, .timestamp) }
        }
        guard let inner = Fields(node, .pushDate, mistakes) else { return nil }
        let origin: DeclaredPush.Origin = inner.choice("of") ?? .timestamp
        switch (inner.value("after"), inner.value("within")) {
        case (_?, nil):
            let tolerance = inner.duration("tolerance", .seconds(1)...Self.longest) ?? Self.usualTolerance
            return inner.duration("after", .zero...Self.longest).map { span($0, tolerance, origin) }
        case (nil, _?) where inner.value("tolerance") == nil:
            return inner.duration("within", .seconds(1)...Self.longest)
                .map { .between(.zero - Self.usualTolerance, $0, of: origin) }
        default:
            mistakes.add(
                "a date lies `after` so long, to within its `tolerance`, or `within` so long",
                hint: "such as `\(key): { after: 5s, tolerance: 2s }` or `\(key): { within: 4h }`", at: node.place)
            return nil
        }
    }

    private func span(_ after: Interval, _ tolerance: Interval, _ origin: DeclaredPush.Origin) -> DeclaredPush.Date {
        .between(after - tolerance, after + tolerance, of: origin)
    }

    private func score(_ fields: Fields, _ range: ClosedRange<Double>) -> DeclaredPush.Score? {
        guard let node = fields.value("relevanceScore") else { return nil }
        if case .string("absent") = node.plainValue { return DeclaredPush.Score.none }
        return fields.number("relevanceScore", range).map { .exactly($0) }
    }

    // MARK: Templates

    /// The call's variables; what they are used for here sends nothing.
    private var judged: TemplateCompiler {
        var compiler = compiler
        compiler.used = []
        return compiler
    }

    private func check(_ compiler: TemplateCompiler, at node: YAMLNode) {
        // `now` counts as no variable that is used, so it is looked for in the text.
        let text = node.json.text.split(separator: " ").joined()
        if ["{{now}", "{{now|", "{{now+", "{{now-"].contains(where: text.contains), !compiler.ownNames.contains("now") {
            mistakes.add(
                "what a push says of the time cannot be compared with `{{now}}`, which the judge does not know",
                hint: "leave it out, or say a date by `after`", at: node.place)
        }
    }
}

extension DeclaredPush {
    /// The collapse ID says something of the event, not of its session alone.
    fileprivate var tellsOfCall: Bool {
        guard case .template(let template) = collapseID else { return false }
        return template.needed.contains { variable in
            switch variable {
            case .own, .event(.marker), .event(.step): true
            case .event, .session, .captured, .fed, .now: false
            }
        }
    }
}

extension ExpectedPush {
    var form: PushForm { PushForm(provider, channel, event) }
}
