// One call of a profile: request templates, and the pushes that are owed for it.

import Basics
import Pushes
import YAML

struct CallDecoder {
    struct Deadlines {
        var usual: Interval
        /// Nil: the profile declares no coalescing.
        var coalesced: Interval?
    }

    /// Of the whole profile; a call's own replace them.
    let headers: [YAMLEntry]
    let deadlines: Deadlines
    let contents: ContentDecoder
    /// What the profile carries from call to call.
    let carried: (decoder: CarriedDecoder, values: [CarriedValue])
    /// Names of what the profile's calls capture.
    let captures: [String]
    /// The profile's, of multipart bodies.
    let boundary: [UInt8]
    let auths: AuthDecoder
    /// Columns of feeders that the profile names.
    var feeds: [String] = []
    /// The profile's, which a call's own replace.
    var answers: [AnswerRule] = []
    /// The profile says where the event of a Live Update stands in a message to FCM.
    var hasMessageEvent = false
    /// What pushes look like where a call does not say otherwise.
    var usual: [UsualPush] = []
    var order = Profile.Order.answered
    /// What the profile's relay compares to leave out what it has told before.
    var dedupe: DedupeSpec?
    /// Names of those who listen.
    var observers: [String] = []
    var mistakes: Mistakes

    private enum Method: String, CaseIterable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
        case head = "HEAD"
    }

    func call(_ entry: YAMLEntry) -> ProfileCall? {
        guard let fields = Fields(entry.value, .call, mistakes) else { return nil }
        let names = variableNames(fields)
        var compiler = TemplateCompiler(ownNames: names, capturedNames: captures, feeds: feeds, mistakes: mistakes)
        let body = BodyDecoder(boundary: boundary, mistakes: mistakes).body(fields, &compiler)
        let method: Method? = fields.choice("method")
        let pushes = fields.items("pushes").compactMap { Fields($0, .push, mistakes) }
            .compactMap { fields in push(fields, entry.value).map { (push: $0, fields: fields) } }
        var call = ProfileCall(
            name: entry.key, method: (method ?? (body == nil ? .get : .post)).rawValue, path: path(fields, &compiler),
            fields: headerFields(fields, body, &compiler), body: body?.template, expectedStatus: expectedStatus(fields),
            pushes: pushes.map(\.push), isFinal: fields.flag("final") ?? false,
            registers: tokens(fields, "registers"), unregisters: tokens(fields, "unregisters"), variables: names,
            defaults: fields.entries("variables").map { StepValueDecoder(mistakes: mistakes).value($0.value) })
        call.phone = fields.count("phone").map { $0 - 1 }
        call.saying = body?.saying
        call.multipart = body?.multipart
        call.auth = auths.auth(fields.value("auth"), &compiler)
        call.declared = DeclaredPushDecoder(compiler: compiler, mistakes: mistakes).declared(pushes, usual)
        checkAuth(call, fields)
        call.batch = BatchDecoder(order: order, mistakes: mistakes).batch(
            fields, &compiler, beside: [call.path] + call.fields.map(\.value) + (call.auth?.templates ?? []))
        call.answers = fields.value("answers") == nil ? answers : AnswerDecoder(mistakes: mistakes).answers(fields)
        call.isStale = fields.flag("stale") ?? false
        call.isUnknown = fields.flag("unknown") ?? false
        call.prepares = fields.flag("prepares") ?? false
        call.isForCases = fields.flag("cases") ?? true
        call.isOversized = fields.flag("oversized") ?? false
        call.captures = CaptureDecoder(mistakes: mistakes).captures(fields, names: captures)
        call.lacks = CaptureDecoder(mistakes: mistakes).lacks(fields, call.captures, names: captures)
        if fields.value("passes") != nil {
            call.passes = contents.passes(fields, bodies: BodyDecoder.sayings(entry.value).map { [$0] } ?? [])
        }
        call.sets = carried.decoder.sets(fields, carried.values)
        call.tells = TellingDecoder(observers: observers, mistakes: mistakes).tellings(fields, used: compiler.used)
        check(call, fields, compiler.used)
        return call
    }

    private func variableNames(_ fields: Fields) -> [String] {
        fields.entries("variables").map { entry in
            if entry.key.hasPrefix(FeedNames.prefix) {
                mistakes.add(
                    "`\(entry.key)` would hide a column of a feeder", hint: "choose another name", at: entry.keyPlace)
            }
            if TemplateCompiler.builtIn.contains(entry.key) || captures.contains(entry.key) {
                mistakes.add(
                    "`\(entry.key)` is a variable already", hint: "choose another name", at: entry.keyPlace)
            }
            return entry.key
        }
    }

    func path(_ fields: Fields, _ compiler: inout TemplateCompiler) -> Template {
        guard let text = fields.text("path") else { return Template(segments: []) }
        let place = fields.value("path")!.place
        let isLawful = text.utf8.first == 47 && text.utf8.allSatisfy { 33...126 ~= $0 }
        if !isLawful {
            mistakes.add(
                "`path` must begin with / and hold no blanks, not `\(text)`",
                hint: "percent-encode other characters; the host comes from `relay.url`", at: place)
        }
        var path = compiler.compile(text: text, encoding: .url, at: place)
        let query = fields.entries("query")
        path.segments += compiler.compile(form: query, opening: text.contains("?") ? "&" : "?", of: "query").segments
        return path
    }

    func headerFields(
        _ fields: Fields, _ body: CallBody?, _ compiler: inout TemplateCompiler
    ) -> [(name: String, value: Template)] {
        var entries = headers
        for own in fields.entries("headers") {
            entries.removeAll { $0.key.lowercased() == own.key.lowercased() }
            // Null strikes the profile's.
            if own.value.plainValue != .null { entries.append(own) }
        }
        var output: [(name: String, value: Template)] = []
        for entry in entries {
            let name = entry.key.lowercased()
            guard case .scalar(let text, _) = entry.value.content,
                text.utf8.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 })
            else {
                mistakes.add("the header `\(entry.key)` must be one line of text", at: entry.value.place)
                continue
            }
            if let wrong = HeaderName.objection(name) {
                mistakes.add("a call cannot set the header `\(entry.key)`", hint: wrong, at: entry.keyPlace)
                continue
            }
            if name == "content-type", body?.multipart != nil {
                mistakes.add(
                    "`multipart` writes its own `content-type`, which names the boundary", hint: "strike the header",
                    at: entry.keyPlace)
            }
            let value = compiler.compile(text: text, encoding: .raw, at: entry.value.place)
            checkLines(value, name, fields)
            output.append((name, value))
        }
        if let contentType = body?.contentType, !output.contains(where: { $0.name == "content-type" }) {
            output.append(("content-type", Template(segments: [.literal(Array(contentType.utf8))])))
        }
        return output
    }

    private func expectedStatus(_ fields: Fields) -> Set<Int> {
        guard let node = fields.value("expect") else { return [200] }
        var nodes = [node]
        if case .sequence(let items) = node.content { nodes = items }
        let statuses = nodes.compactMap { node -> Int? in
            guard let status = node.plainValue?.int, 200...599 ~= status else {
                fields.wrong("expect", node, "a status from 200 to 599 or a list of them")
                return nil
            }
            return Int(status)
        }
        if nodes.isEmpty { fields.wrong("expect", node, "a status from 200 to 599 or a list of them") }
        return Set(statuses)
    }

    private enum Token: String, CaseIterable {
        case deviceToken, startToken, activityToken, deviceToken2, startToken2, activityToken2, rotatedToken
        case newStartToken, registrationToken, newRegistrationToken, widgetToken, widgetToken2, newWidgetToken, controlToken
        case otherControlToken

        var variable: SessionVariable { SessionVariable(rawValue: rawValue)! }
    }

    private func tokens(_ fields: Fields, _ key: String) -> [SessionVariable] {
        fields.items(key).compactMap { node in
            let token: Token? = fields.choice(node, named: key)
            return token?.variable
        }
    }

    private func push(_ fields: Fields, _ call: YAMLNode) -> ExpectedPush? {
        guard let told: PushChannel = fields.choice("channel") else { return nil }
        let event: ActivityEvent? = fields.choice("event")
        let channel = told.type(of: event)
        if told.provider == .fcm {
            if event != nil, !hasMessageEvent {
                mistakes.add(
                    "which messages are a Live Update's is not said",
                    hint: "say where their event stands: `messageEvent: /message/data/event` in the profile",
                    at: fields.value("event")!.place)
            }
        } else if (channel == .liveactivity) != (fields.value("event") != nil) {
            mistakes.add(
                channel == .liveactivity
                    ? "a liveactivity push has an `event`" : "only a liveactivity push has an `event`",
                hint: channel == .liveactivity ? "add `event: update`" : "strike it", at: fields.node.place)
        }
        let token: Token? = fields.choice("token")
        let unless: Token? = fields.choice("unless")
        let usual: Token =
            switch channel {
            case _ where told == .fcm: .registrationToken
            case .liveactivity: event == .start ? .startToken : .activityToken
            case .widgets: .widgetToken
            case .controls: .controlToken
            default: .deviceToken
            }
        let kind = (token ?? usual).variable.role
        let isReloadToken = [.widgetToken, .controlToken, .otherControlToken].contains(kind)
        let isOfKind = kind == usual.variable.role || channel == .controls && kind == .otherControlToken
        if channel.isReload || isReloadToken, !isOfKind {
            mistakes.add(
                "a push of the channel `\(told.rawValue)` goes to no `\(kind.rawValue)`",
                hint: "write `token: \(usual.rawValue)`, or leave it out", at: fields.value("token")!.place)
        }
        if channel.isReload, let node = fields.value("marked") {
            mistakes.add("a reload bears no marker, and needs none", hint: "strike `marked`", at: node.place)
        }
        let coalesce = fields.flag("coalesce") ?? false
        let held = fields.flag("held") ?? false
        if coalesce, deadlines.coalesced == nil {
            mistakes.add(
                "`coalesce` needs the window that the relay declares",
                hint: "add `coalescing: { window: 10s }` to the profile",
                at: fields.value("coalesce")!.place)
        }
        let usualDeadline = coalesce ? deadlines.coalesced ?? deadlines.usual : deadlines.usual
        var push = ExpectedPush(
            channel: channel, token: (token ?? usual).variable, unless: unless?.variable, event: event,
            coalesce: coalesce, held: held,
            deadline: fields.duration("deadline", .milliseconds(1)...Fields.longest) ?? usualDeadline)
        push.provider = told.provider
        push.isUrgent = fields.flag("urgent") ?? false
        push.isFirst = first(fields, channel)
        push.dedupes = LimitDecoder(mistakes: mistakes).dedupes(fields, dedupe, BodyDecoder.sayings(call))
        push.told = channel.isReload ? .reload : telling(fields, push)
        broadcast(fields, &push)
        return push
    }

    /// Whose a channel is.
    private enum BroadcastChannel: String, CaseIterable {
        case session, shared
    }

    private func broadcast(_ fields: Fields, _ push: inout ExpectedPush) {
        guard let channel: BroadcastChannel = fields.choice("broadcast") else { return }
        let place = fields.value("broadcast")!.place
        if push.provider == .fcm || push.event != .update && push.event != .end {
            mistakes.add(
                "only an activity's update or end is broadcast", hint: "write `channel: liveactivity, event: update`",
                at: place)
        }
        for key in ["token", "unless", "held", "marked", "dedupe"] where fields.value(key) != nil {
            mistakes.add("a broadcast goes to no token, so it has no `\(key)`", hint: "strike it", at: fields.value(key)!.place)
        }
        push.token = .broadcastChannel
        push.hasOwnChannel = channel == .session
    }

    private func telling(_ fields: Fields, _ push: ExpectedPush) -> ExpectedPush.Told {
        guard let node = fields.value("marked") else { return .marker }
        let told: ExpectedPush.Told
        switch node.plainValue {
        case .string("collapseID"): return .collapseID
        case .string("timestamp"): told = .timestamp
        default: told = fields.flag("marked") ?? true ? .marker : .token
        }
        if told != .marker, push.event != .update, push.event != .end {
            mistakes.add(
                "only an activity's update or end can do without a marker", hint: "strike `marked`, or say `event: update`",
                at: node.place)
        } else if told == .timestamp, push.provider == .fcm {
            mistakes.add("a message to FCM has no `aps.timestamp`", hint: "say `marked: true` or `false`", at: node.place)
        }
        return told
    }

    /// Only the time at which it is made can be told again in seconds.
    private func checkTimestamp(_ call: ProfileCall, _ fields: Fields) {
        guard call.pushes.contains(where: { $0.told == .timestamp }) else { return }
        let saysTime = ([call.path] + call.fields.map(\.value) + [call.body].compactMap { $0 }).flatMap(\.needed).contains {
            if case .now(let time) = $0 { time.offset == .zero } else { false }
        }
        guard !saysTime else { return }
        mistakes.add(
            "`\(call.name)` does not say the time by which its pushes are told",
            hint: "put {{now}} where the relay takes the push's timestamp from", at: fields.value("pushes")!.place)
    }

    private func first(_ fields: Fields, _ channel: PushType) -> Bool {
        guard fields.flag("first") == true else { return false }
        if channel == .alert { return true }
        mistakes.add(
            "only an alert goes first, before the call's liveactivity push", hint: "strike it",
            at: fields.value("first")!.place)
        return false
    }

    /// Defaults that would end the line of a header in which they stand.
    private func checkLines(_ value: Template, _ header: String, _ fields: Fields) {
        // Whoever only listens has none of its own.
        guard fields.shape.key("variables") != nil else { return }
        let defaults = fields.entries("variables")
        for case .variable(.own(let index), .raw) in value.segments {
            let entry = defaults[index]
            let choices = StepValueDecoder(mistakes: Mistakes()).value(entry.value).choices
            guard choices.contains(where: { $0.raw.contains { $0 < 32 && $0 != 9 || $0 == 127 } }) else { continue }
            mistakes.add(
                "`\(entry.key)` stands in the header `\(header)`, which is one line", hint: "leave the line's end out",
                at: entry.value.place)
        }
    }

    private func checkAuth(_ call: ProfileCall, _ fields: Fields) {
        for name in call.auth?.headers ?? [] where call.fields.contains(where: { $0.name == name }) {
            let entry = (fields.entries("headers") + headers).first { $0.key.lowercased() == name }
            mistakes.add(
                "the header `\(name)` is written by `auth`", hint: "strike it from `headers`, or add `auth: none`",
                at: entry?.keyPlace ?? fields.node.place)
        }
        guard case .hmac(let hmac)? = call.auth?.kind else { return }
        let sent = call.fields.map(\.name) + hmac.headers.map { String(decoding: $0, as: UTF8.self) }
        for name in hmac.signedHeaders where !sent.contains(name) {
            mistakes.add(
                "the header `\(name)` is signed, but not sent", hint: "add it to `headers`, such as `\(name): \"{{uuid}}\"`",
                at: fields.node.place)
        }
    }

    private func check(_ call: ProfileCall, _ fields: Fields, _ used: Set<TemplateVariable>) {
        for (index, entry) in fields.entries("variables").enumerated()
        where !used.contains(.own(index)) && !TemplateCompiler.builtIn.contains(entry.key) {
            mistakes.add(
                "the variable `\(entry.key)` is never used",
                hint: "write `{{\(entry.key)}}` somewhere in the call or strike it",
                at: entry.keyPlace)
        }
        if let pushes = fields.value("pushes"), call.pushes.contains(where: \.isMarked), !used.contains(.event(.marker)) {
            mistakes.add(
                "`\(call.name)` expects pushes but carries no {{marker}}, so they could not be told apart",
                hint: "put {{marker}} where the relay passes text through", at: pushes.place)
        }
        if call.pushes.contains(where: \.isFirst), !call.pushes.contains(where: { $0.channel == .liveactivity }) {
            mistakes.add(
                "the call owes nothing that could come behind its alert", hint: "strike `first`",
                at: fields.value("pushes")!.place)
        }
        checkTimestamp(call, fields)
        if call.isFinal, !call.pushes.contains(where: { $0.channel == .liveactivity }) {
            mistakes.add(
                "a final call expects a liveactivity push", hint: "add it to `pushes` or strike `final`",
                at: fields.value("final")!.place)
        }
    }
}
