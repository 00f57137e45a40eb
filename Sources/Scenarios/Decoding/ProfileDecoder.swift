// Profiles: how to speak to one relay.

import Basics
import YAML

struct ProfileDecoder {
    let files: FileFinder
    let mistakes: Mistakes
    /// Its calls are there in malformed forms as well, behind the others.
    var hasMalformed = false

    /// Nil only when `node` is no mapping; else mistakes leave stand-ins.
    func profile(_ node: YAMLNode, fallbackName: String) throws(Failure) -> Profile? {
        let node = try Extension.profile.applied(to: node, files, mistakes)
        guard let fields = Fields(node, .profile, mistakes) else { return nil }
        let limits = LimitDecoder(mistakes: mistakes)
        let coalescing = limits.coalescing(fields)
        let deadlines = deadlines(fields, coalescing)
        let headers = fields.entries("headers")
        var calls: [ProfileCall] = []
        let contents = ContentDecoder(files: files, mistakes: mistakes)
        let bodies = fields.entries("calls").compactMap { BodyDecoder.sayings($0.value) }
        let dedupe = limits.dedupe(fields, contents, bodies: bodies)
        let carried = CarriedDecoder(contents: contents, mistakes: mistakes)
        let values = carried.values(fields, bodies: bodies)
        let name = fields.text("name") ?? fallbackName
        let captures = CaptureDecoder(mistakes: mistakes).names(fields.entries("calls"))
        let auths = AuthDecoder(profile: fields.value("auth"), files: files, mistakes: mistakes)
        var decoder = CallDecoder(
            headers: headers, deadlines: deadlines, contents: contents, carried: (carried, values), captures: captures,
            boundary: MultipartSpec.boundary(of: name), auths: auths, mistakes: mistakes)
        decoder.feeds = FeedNames.named(in: node)
        let observers = ObserverDecoder(requests: decoder, mistakes: mistakes).observers(fields)
        decoder.answers = AnswerDecoder(mistakes: mistakes).answers(fields)
        decoder.hasMessageEvent = fields.value("messageEvent") != nil
        let compiler = TemplateCompiler(
            ownNames: [], capturedNames: captures, feeds: decoder.feeds, mistakes: mistakes)
        decoder.usual = DeclaredPushDecoder(compiler: compiler, mistakes: mistakes).usual(fields)
        decoder.dedupe = dedupe
        decoder.observers = fields.entries("observers").map(\.key)
        let httpVersion = Profile.HTTPVersion(rawValue: fields.count("http") ?? 1) ?? .http1
        decoder.order = order(fields, httpVersion)
        let tokens: Profile.TokenOwner = fields.choice("tokens") ?? .relay
        for entry in fields.entries("calls") {
            checkName(entry)
            guard var call = decoder.call(entry) else { continue }
            if tokens == .caller { call.nameTargets() }
            calls.append(call)
        }
        if hasMalformed, mistakes.found.isEmpty {
            let malformed = MalformedCalls(decoder)
            let forms = zip(calls, fields.entries("calls")).enumerated().flatMap { number, pair in
                malformed.forms(of: pair.0, as: pair.1, number: number)
            }
            calls += forms.prefix(MalformedCalls.mostOfProfile)
        }
        if let calls = fields.value("calls"), case .mapping(let entries) = calls.content, entries.isEmpty {
            mistakes.add("`calls` names no call", hint: "add one", at: calls.place)
        }
        var profile = Profile(
            name: name, topic: topic(fields), httpVersion: httpVersion,
            order: decoder.order, calls: calls, coalescing: coalescing,
            settle: fields.duration("settle") ?? .seconds(2))
        profile.tokens = tokens
        profile.environments = fields.choice("environments") ?? .both
        profile.credential = fields.choice("credential") ?? .token
        profile.timeout = fields.duration("timeout", .milliseconds(100)...Profile.longestTimeout)
        profile.rest = fields.duration("rest")
        profile.dedupe = dedupe
        profile.cap = limits.cap(fields)
        profile.activities = ActivitiesDecoder(mistakes: mistakes).activities(fields)
        profile.knownFailing = fields.value("knownFailing") == nil ? [] : fields.texts("knownFailing")
        profile.cases = ProfileCaseDecoder(mistakes: mistakes).cases(fields)
        profile.observers = observers
        profile.state = StateDecoder(requests: decoder, mistakes: mistakes).state(fields)
        profile.webhooks = WebhookDecoder(auths: auths, calls: calls, captures: captures, mistakes: mistakes).webhooks(fields)
        profile.retries = AnswerDecoder(mistakes: mistakes).retries(fields)
        profile.captures = captures
        profile.feeds = decoder.feeds
        profile.secretCaptures = calls.secretCaptures.union(profile.webhooks?.captured ?? [])
        checkWebhook(profile, fields)
        profile.content = try contents.content(fields, bodies: bodies)
        profile.content.carried = values
        ProfileDoubts(profile: profile, mistakes: mistakes).look(at: fields)
        profile.doubts = mistakes.doubts
        return profile
    }

    private func order(_ fields: Fields, _ httpVersion: Profile.HTTPVersion) -> Profile.Order {
        let order: Profile.Order = fields.choice("order") ?? .answered
        if order == .stream, httpVersion != .http2 {
            mistakes.add(
                "`order: stream` needs HTTP/2: a connection of HTTP/1.1 carries one event at a time",
                hint: "add `http: 2`, or take `order: answered`", at: fields.value("order")!.place)
        }
        return order
    }

    private func topic(_ fields: Fields) -> String {
        guard let topic = fields.text("topic") else { return "" }
        let isLawful = topic.utf8.allSatisfy {
            48...57 ~= $0 || 65...90 ~= $0 || 97...122 ~= $0 || $0 == 45 || $0 == 46
        }
        if !isLawful {
            mistakes.add(
                "`topic` must be a bundle identifier, not `\(topic)`", hint: "letters, digits, dots and hyphens",
                at: fields.value("topic")!.place)
        }
        return topic
    }

    private func deadlines(_ fields: Fields, _ coalescing: CoalescingSpec?) -> CallDecoder.Deadlines {
        let inner = fields.value("deadlines").flatMap { Fields($0, .deadlines, mistakes) }
        let usual = inner?.duration("default", .milliseconds(1)...Fields.longest) ?? .seconds(5)
        let coalesced = inner?.duration("coalesced", .milliseconds(1)...Fields.longest)
        return CallDecoder.Deadlines(
            usual: usual, coalesced: coalesced ?? coalescing.map { $0.window + usual })
    }

    private func checkWebhook(_ profile: Profile, _ fields: Fields) {
        guard profile.webhooks == nil, let call = profile.calls.first(where: { $0.needed.contains(.event(.webhook)) }) else {
            return
        }
        mistakes.add(
            "`\(call.name)` says {{webhook}}, and nobody listens there", hint: "say in `webhooks` what the relay calls back",
            at: fields.value("calls")!.place)
    }

    /// Names stand in gates and reports, so they are single words and no gate's own.
    private func checkName(_ entry: YAMLEntry) {
        let bytes = Array(entry.key.utf8)
        let isWord = bytes.allSatisfy {
            48...57 ~= $0 || 65...90 ~= $0 || 97...122 ~= $0 || $0 == 45 || $0 == 95
        }
        if !isWord || bytes.isEmpty || bytes.count > 64 {
            mistakes.add(
                "a call cannot be named `\(entry.key)`", hint: "letters, digits, - and _, at most 64",
                at: entry.keyPlace)
        } else if GateMeasure.reservedWords.contains(entry.key.lowercased()) {
            mistakes.add(
                "a call cannot be named `\(entry.key)`: gates use that word", hint: "choose another name",
                at: entry.keyPlace)
        }
    }
}
