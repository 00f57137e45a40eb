// From a journal's entry to what correlator and rules see.

import Basics
import Conformance
import Journal
import Metrics
import Pushes

/// Confined to the judge's thread.
final class Observer {
    private let run: UInt32?
    private let content: ContentCheck
    private let context: RunContext
    /// The credential met last, which the next push nearly always carries again.
    private var newest: (text: String, number: Int32)?
    /// The message to FCM that was read last.
    private var newestBody: (id: UInt64, json: JSONValue?)?
    /// Words and topics met: a run has few of each, and looking there is cheaper than asking for them anew.
    private var types: [(word: String, type: PushType)] = []
    private var topics: [(text: String, number: Int32)] = []
    private static let mostKnown = 8
    private static let probes: Set<String> = ["GET", "HEAD", "OPTIONS"]
    private var sayings = Sayings()
    /// The end of a message's path stands for its target where it was refused before the mock had read its body: for its
    /// project, its sender, or its form.
    private static let unreadTarget = "messages:send"

    /// `run` is the number in the run's markers; nil: whatever marker there is counts.
    init(run: UInt32?, content: ContentCheck, context: RunContext) {
        self.run = run
        self.content = content
        self.context = context
    }

    /// The marker, where it is of this run.
    func marker(of entry: PushEntry) -> Marker? { entry.marker.flatMap { run == nil || $0.run == run ? $0 : nil } }

    /// `marker`: the push's own, or the one that it stands for; `calls`: see `ContentCheck.look`.
    func observe(_ entry: PushEntry, _ marker: Marker?, _ calls: ArraySlice<SeenCall>) -> SeenPush {
        let wall = entry.arrivedWall + context.circumstances.clockSkew
        var push = SeenPush(
            id: entry.id, arrivedAt: entry.arrivedAt, answeredAt: entry.arrivedAt + entry.delay, arrivedWall: wall,
            token: token(of: entry), status: entry.status, type: type(of: entry))
        push.provider = entry.provider
        push.diedMilliseconds = entry.timestampMilliseconds
        push.stamp = entry.stamp
        push.connection = entry.connection
        push.apnsID = entry.apnsID
        push.payloadCount = Int32(clamping: entry.payload.count)
        push.authorization = authorization(of: entry)
        push.topic = topic(of: entry)
        push.reason = entry.reason.map { context.texts.intern($0) } ?? -1
        push.faultRule = entry.faultRule
        push.event = entry.event
        if entry.provider == .fcm { lookAtMessage(entry, &push) }
        push.outcome = entry.outcome
        push.environment = entry.environment
        push.payloadHash = Int(truncatingIfNeeded: Hash128(hashing: entry.payload.span).low)
        if let marker {
            push.flags.insert(.isMarked)
            push.session = marker.session
            push.step = marker.step
        }
        if entry.hasUnknownEvent { push.flags.insert(.hasUnknownEvent) }
        if entry.provider == .apns, let priority = entry.priority {
            push.flags.insert(.gavePriority)
            push.priority = UInt8(priority) ?? 10
        }
        if let method = entry.header(":method"), Self.probes.contains(method),
            entry.header(":path")?.hasPrefix("/3/device/") != true
        {
            push.flags.insert(.isProbe)
        }
        if entry.header("apns-id") != nil { push.flags.insert(.gaveAPNsID) }
        if entry.header("apns-collapse-id") != nil { push.flags.insert(.gaveCollapseID) }
        if entry.provider == .apns, entry.pushType == nil { push.flags.insert(.lacksType) }
        if let expiration = entry.header("apns-expiration") {
            push.flags.insert(.gaveExpiration)
            if let form = Int64(expiration).map({ DateForm($0, at: entry.arrivedWall) }),
                let row = SeenPush.expirations.first(where: { $0.form == form })
            {
                push.flags.insert(row.flag)
            }
        }
        push.saying = sayings.number(of: push) { body(of: entry) }
        content.look(at: entry, marker, calls, &push, context)
        return push
    }

    /// What becomes of the activity; of a message to FCM what its body says.
    func event(of entry: PushEntry) -> ActivityEvent? {
        guard entry.provider == .fcm, entry.event == nil else { return entry.event }
        return body(of: entry).flatMap { content.messageEvent(of: $0) }
    }

    /// Where it was to go, by its path or, of a message to FCM that was refused unread, by its body.
    func token(of entry: PushEntry) -> TokenHash {
        guard entry.provider == .fcm, entry.token == Self.unreadTarget, let message = body(of: entry)?["message"],
            let target = (message["token"] ?? message["fid"])?.string, !target.isEmpty
        else { return TokenHash(entry.token) }
        return TokenHash(target)
    }

    private func body(of entry: PushEntry) -> JSONValue? {
        if let newestBody, newestBody.id == entry.id { return newestBody.json }
        let json = entry.isCut ? nil : try? JSONValue(parsing: entry.payload.span)
        newestBody = (entry.id, json)
        return json
    }

    /// What a message to FCM is has no field: its body says it.
    private func lookAtMessage(_ entry: PushEntry, _ push: inout SeenPush) {
        push.priority = 5
        guard let message = body(of: entry)?["message"] else { return }
        push.event = event(of: entry)
        if push.event != nil { push.type = .liveactivity }
        lookAtActivity(message, &push)
        let android = message["android"] ?? .null
        if message["notification"] != nil || android["notification"] != nil { push.flags.insert(.hasNotification) }
        if android.at(pointer: "/notification/tag")?.string?.isEmpty == false { push.flags.insert(.hasTag) }
        push.waitsUnder = keyOfWaiting(android)
        guard let priority = android["priority"], priority.string != nil || priority.int != nil else { return }
        push.flags.insert(.gavePriority)
        // In any case of letters, or as the word's number (docs/fcm.md §1).
        if priority.int == 1 || priority.string?.lowercased() == "high" { push.priority = 10 }
    }

    /// Of an Android app's message. One that lives for no time waits for nobody, and a fraction of a second is dropped
    /// (docs/fcm.md §2).
    private func keyOfWaiting(_ android: JSONValue) -> UInt64 {
        guard let key = (android["collapse_key"] ?? android["collapseKey"])?.string, !key.isEmpty else { return 0 }
        let seconds = android["ttl"]?.string.flatMap { Int64($0.prefix { $0.isNumber }) }
        return seconds == 0 ? 0 : withBytes(of: key) { Hash128(hashing: $0) }.low | 1
    }

    /// Google's page says what a message for a Live Activity has (docs/fcm.md §6). One that has neither its token nor a state
    /// is known for one by what else only an activity's has.
    private func lookAtActivity(_ message: JSONValue, _ push: inout SeenPush) {
        guard let apns = message["apns"] else { return }
        let aps = apns.at(pointer: "/payload/aps")
        let given = apns["live_activity_token"] ?? apns["liveActivityToken"]
        let token = given?.string ?? ""
        let isOfActivity = given != nil || aps?["content-state"] != nil
            || apns.at(pointer: "/payload/live_activity_token") != nil
            || apns.at(pointer: "/headers/apns-push-type")?.string == "\(PushType.liveactivity.word)"
            || (aps?["event"]?.string).flatMap({ ActivityEvent(word: $0) }) != nil
        guard isOfActivity else { return }
        push.flags.insert(.isForApple)
        if !token.isEmpty {
            push.activityToken = TokenHash(token)
            if context.texts[push.reason].hasPrefix("APNS_") { push.flags.insert(.isWordOfAPNs) }
        }
        var lacks: [String] = []
        if token.isEmpty { lacks.append("live_activity_token") }
        if message["token"]?.string == nil, message["fid"]?.string == nil { lacks.append("token or fid beside it") }
        // What lies in a Struct may be written as any number, for it holds doubles.
        let stamp = aps?["timestamp"]?.double.flatMap { Int64(exactly: $0) }
        if stamp == nil { lacks.append("timestamp in whole seconds") }
        if (aps?["event"]?.string).flatMap({ ActivityEvent(word: $0) }) == nil { lacks.append("event that Apple knows") }
        if case .object? = aps?["content-state"] {} else { lacks.append("content-state") }
        guard !lacks.isEmpty else { return }
        push.startLack = context.texts.intern("no " + lacks.joined(separator: ", no "))
    }

    private func type(of entry: PushEntry) -> PushType {
        guard let word = entry.pushType else { return .alert }
        if let known = types.first(where: { $0.word == word }) { return known.type }
        let type = PushType(word: word) ?? .alert
        if types.count < Self.mostKnown { types.append((word, type)) }
        return type
    }

    private func topic(of entry: PushEntry) -> Int32 {
        guard let text = entry.topic else { return -1 }
        if let known = topics.first(where: { $0.text == text }) { return known.number }
        let number = context.texts.intern(text)
        if topics.count < Self.mostKnown { topics.append((text, number)) }
        return number
    }

    private func authorization(of entry: PushEntry) -> Int32 {
        guard let text = entry.header("authorization") else { return -1 }
        if let newest, newest.text == text { return newest.number }
        // Whoever writes the scheme in other letters sends the same token (RFC 9110, section 11.1).
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        let credential = words.count == 2 ? words[0].lowercased() + " " + words[1] : text
        let known = context.texts.number(of: credential)
        let number = known ?? context.texts.intern(credential)
        if known == nil, entry.provider == .apns { context.signers[number] = ProviderTokenClaims(authorization: text) }
        newest = (text, number)
        return number
    }
}
