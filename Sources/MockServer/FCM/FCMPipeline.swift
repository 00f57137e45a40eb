// The mock FCM on one loop: what of a message's way is Google's own. The way itself is the core's (`Provider+Serving.swift`).

import Basics
import Devices
import EventLoop
import FCM
import Faults
import HTTP
import HTTP2
import Journal
import Net
import Pushes

/// Answers FCM's requests on one loop. Confined to it.
final class FCMPipeline: Provider {
    let core: PipelineCore
    private let shared: FCMShared
    private let validator: FCMValidator
    private let front: FrontEnd
    private let desk: EndpointDesk
    private let passage: ApplePassage
    private var generator: Generator
    private let scratch = ByteBuffer(capacity: 256)
    /// What APNs said of the message that was judged last, where it refused it.
    private var apple: AppleRefusal?
    /// The message that was delivered last, where its Android device is to have it later.
    private var waiting: AndroidMessage?
    /// What devices did with the message to a topic that was delivered last.
    private var reached: [(registration: Hash128, verdict: AndroidVerdict)] = []
    /// And there were more.
    private var isCut = false
    /// A message to a topic reaches so many devices at most, for one turn of the loop may not take for ever. The journal says
    /// where there were more.
    private static let mostReached = 1_000

    init(loop: EventLoop, shared: MockShared, environment: PushEnvironment, index: Int) throws(Failure) {
        guard let fcm = shared.fcm else { preconditionFailure("no mock FCM was asked for") }
        self.shared = fcm
        core = try PipelineCore(
            loop: loop, shared: shared, reasons: FCMReason.list, environment: environment, name: "fcm-\(index)",
            place: shared.placeOfFCM + index)
        validator = FCMValidator(settings: fcm.settings, access: fcm.access, registrations: fcm.registrations)
        front = FrontEnd(settings: fcm.settings, clock: shared.clock)
        desk = EndpointDesk(core: core, front: front)
        passage = ApplePassage(shared, environment, seed: shared.seed.child("fcm-passage-\(index)"))
        generator = shared.seed.child("fcm-\(index)").generator()
    }

    static var farewell: [UInt8] { [] }

    func refused(_ refusal: Refusal, times: Int) { core.shared.refusedByFCM.add(refusal, times: times) }

    // MARK: Who it is

    func prepare(_ connection: ServerConnection) { connection.context = FCMPeer() }

    func greet(_ connection: ServerConnection, _ peer: FCMPeer, _ facts: inout JSONObject) -> Bool {
        facts["provider"] = "fcm"
        return true
    }

    func firing(_ facts: MessageFacts, _ exchange: ServerExchange, _ peer: FCMPeer) -> Firing? {
        let connection = exchange.connection!
        let body = exchange.body
        let isToTopic = facts.target == .topic
        let subject = FaultSubject(
            tokenHash: facts.tokenHash, topic: body.bytes.extracting(isToTopic ? facts.targetText : 0..<0), pushType: nil,
            event: facts.event, priority: facts.isHighPriority == true ? 10 : 5, id: nil,
            nthOfToken: shared.registrations.next(to: facts.tokenHash), nthOfConnection: peer.requests,
            caller: core.caller(connection.number, acceptedAt: connection.metAt), credential: exchange.credential)
        return core.shared.faults.firing(for: subject, now: exchange.arrivedAt)
    }

    func spoiled(_ facts: MessageFacts, _ exchange: ServerExchange, now: WallTime) {
        guard facts.target == .token || facts.target == .fid, let path = exchange.head.index(of: ":path") else { return }
        let head = exchange.head
        shared.registrations.spoil(facts.tokenHash, project: head.value(at: path).extracting(facts.project), now: now)
    }

    // MARK: What it says

    func judge(_ exchange: ServerExchange, _ peer: FCMPeer, now: WallTime) -> FCMVerdict {
        peer.requests &+= 1
        front.unpack(exchange)
        var verdict = validator.validate(exchange.head, body: exchange.body, connection: peer.sender, now: now)
        passage.forget()
        apple = nil
        if let reason = quota(verdict, exchange, now: now) {
            (verdict.rejection, verdict.check) = (reason, "quota")
            return verdict
        }
        guard verdict.rejection == nil, verdict.facts.isLiveActivity, !verdict.facts.isDryRun else { return verdict }
        verdict.rejection = goOn(verdict.facts, exchange.body, now: now)
        if verdict.rejection != nil { verdict.check = "apns" }
        return verdict
    }

    /// Whose quota a message is beyond, whatever else is wrong with it. What the project may not send is not counted as its
    /// own, nor is what a quota refuses (docs/fcm.md §4).
    private func quota(_ verdict: FCMVerdict, _ exchange: ServerExchange, now: WallTime) -> FCMReason? {
        let facts = verdict.facts
        switch verdict.rejection {
        case .notFound, .credentialsMissing, .invalidCredentials, .accessTokenExpired, .scopeInsufficient,
            .iamPermissionDenied:
            return nil
        default: break
        }
        let isForDevice = facts.target == .token || facts.target == .fid
        if verdict.rejection == nil, isForDevice, !facts.isDryRun, !facts.isLiveActivity,
            !shared.registrations.hasRoom(facts.tokenHash, now: now)
        {
            return .quotaExceeded
        }
        let head = exchange.head
        guard let field = head.index(of: ":path") else { return nil }
        let path = head.value(at: field)
        return shared.quotas.takeMessage(of: path.extracting(facts.project), now: now) ? nil : .rateLimitExceeded
    }

    /// Asks APNs about a message of a Live Activity.
    private func goOn(_ facts: MessageFacts, _ body: ByteBuffer, now: WallTime) -> FCMReason? {
        let bytes = body.bytes
        let answer = passage.judge(
            token: bytes.extracting(facts.liveActivityToken), payload: bytes.extracting(facts.apnsPayload),
            topic: bytes.extracting(facts.apnsTopic), priority: bytes.extracting(facts.apnsPriority),
            expiration: bytes.extracting(facts.apnsExpiration), collapseID: bytes.extracting(facts.apnsCollapseID), now: now)
        switch answer {
        case .accepted: return nil
        case .refused(let trouble, let status, let reason):
            apple = AppleRefusal(status: Int(status), reason: reason)
            switch trouble {
            case .deadToken: return .apnsTokenDisabled
            case .badToken: return .apnsBadDeviceToken
            case .otherTopic: return .apnsDeviceTokenNotForTopic
            // Of iPhones FCM has no quota but APNs' own (docs/fcm.md §4).
            case .quota: return .quotaExceeded
            case .message: return .invalidArgument
            }
        }
    }

    /// The token endpoint and those of topics are on the same port.
    func servesOtherwise(_ exchange: ServerExchange, _ verdict: FCMVerdict, _ peer: FCMPeer, now: WallTime) -> Bool {
        guard verdict.refusal == .notFound, let field = exchange.head.index(of: ":path") else { return false }
        let head = exchange.head
        if TokenCall.isPath(head.value(at: field)) {
            desk.serve(TokenCall(exchange, shared, now: now), exchange, peer)
        } else if TokenCall.isBackgroundCall(head.value(at: field)) {
            front.identify(exchange)
            front.send(.notFound(head.value(at: field).text), on: exchange)
            core.finish()
        } else if let call = TopicCall(exchange, shared, now: now) {
            desk.serve(call, exchange, peer)
        } else {
            return false
        }
        return true
    }

    func deliver(_ facts: MessageFacts, _ exchange: ServerExchange, now: WallTime) -> (Outcome?, PhoneReason?) {
        guard !facts.isDryRun, let field = exchange.head.index(of: ":path") else { return (nil, nil) }
        let head = exchange.head
        let path = head.value(at: field)
        let isHeard: Bool
        if facts.target == .token || facts.target == .fid {
            let verdict = facts.isLiveActivity ? nil : android(facts, exchange.body, now: now)
            shared.registrations.note(
                facts.tokenHash, project: path.extracting(facts.project), now: now, isSeen: verdict?.isReached ?? true,
                isMetered: !facts.isLiveActivity)
            if facts.isLiveActivity { return passage.deliver(now: now) }
            if let verdict { return (verdict.outcome, verdict.reason.map { .android($0) }) }
            isHeard = true
        } else {
            let listeners = listeners(facts, exchange, project: path.extracting(facts.project).text)
            fanOut(facts, exchange.body, to: listeners, project: path.extracting(facts.project), now: now)
            isHeard = !listeners.isEmpty
        }
        return (isHeard ? (facts.hasNotification ? .shown : .handedOver) : nil, nil)
    }

    /// What the Android device behind the registration does; nil: there is none of its own.
    private func android(_ facts: MessageFacts, _ body: ByteBuffer, now: WallTime) -> AndroidVerdict? {
        let androids = core.shared.devices.androids
        guard !androids.isEmpty else { return nil }
        let message = AndroidMessage(facts, liveUpdate(body))
        waiting = message
        return androids.deliver(message, to: facts.tokenHash, now: now)
    }

    /// What the app reads from the data, by the keys that the settings name; nil: nothing that it knows.
    private func liveUpdate(_ body: ByteBuffer) -> LiveUpdate? {
        let settings = shared.settings
        guard let key = settings.liveUpdateKey else { return nil }
        func text(_ key: String) -> String { body.bytes.extracting(validator.place(ofData: key)).text }
        let order = settings.liveUpdateStamp.map { LiveUpdate.Order.stamp(Int64(text($0))) } ?? .asTaken
        let isEnd = settings.liveUpdateEnd.map { text($0.key) == $0.text } ?? false
        return LiveUpdate(body.bytes.extracting(validator.place(ofData: key)), order: order, isEnd: isEnd)
    }

    /// The registrations that a message to a topic or a condition reaches.
    private func listeners(_ facts: MessageFacts, _ exchange: ServerExchange, project: String) -> Set<Hash128> {
        let body = exchange.body
        let text = body.bytes.extracting(facts.targetText).text
        if facts.target == .topic { return shared.subscriptions.listeners(of: text, project: project) }
        return TopicCondition(text).map { shared.subscriptions.listeners(of: $0, project: project) } ?? []
    }

    /// Hands it to the Android devices among them.
    private func fanOut(
        _ facts: MessageFacts, _ body: ByteBuffer, to listeners: Set<Hash128>, project: Span<UInt8>, now: WallTime
    ) {
        let androids = core.shared.devices.androids
        reached = []
        let devices = androids.devices(among: listeners, atMost: Self.mostReached + 1)
        guard !devices.isEmpty else { return }
        isCut = devices.count > Self.mostReached
        var message = AndroidMessage(facts, liveUpdate(body))
        message.isShared = true
        waiting = message
        for registration in devices.prefix(Self.mostReached) {
            // Who is gone hears nothing, and is not brought back by it.
            guard shared.registrations.isActive(registration, project: project, now: now),
                let verdict = androids.deliver(message, to: registration, now: now)
            else { continue }
            reached.append((registration, verdict))
            shared.registrations.note(
                registration, project: project, now: now, isSeen: verdict.isReached, isMetered: false)
        }
    }

    // MARK: On record

    /// Whom a message goes to stands in its body: it is on record as if it stood in the head.
    func describe(
        _ draft: inout PushDraft, _ facts: MessageFacts, _ exchange: ServerExchange, isAccepted: Bool, now: WallTime
    ) {
        draft.event = facts.event
        draft.hasUnknownEvent = facts.hasUnknownEvent
        draft.stamp = facts.stamp
        guard !facts.targetText.isEmpty else { return }
        let body = exchange.body
        exchange.head.append(":target", body.bytes.extracting(facts.targetText))
    }

    func recorded(_ id: UInt64, _ outcome: Outcome?, _ facts: MessageFacts, _ exchange: ServerExchange, now: WallTime) {
        recordReached(id, now: now)
        guard outcome == .stored else { return }
        if facts.isLiveActivity { return passage.store(id, now: now, tell: tell) }
        guard let waiting else { return }
        let androids = core.shared.devices.androids
        androids.store(waiting, to: facts.tokenHash, push: id, now: now)
        for late in androids.takeLate() { tell(late) }
    }

    private func recordReached(_ id: UInt64, now: WallTime) {
        guard !reached.isEmpty, let waiting else { return }
        let androids = core.shared.devices.androids
        for (registration, verdict) in reached {
            let words = verdict.reason.map { PhoneReason.android($0).words }
            let note = ReachNote(message: id, registration: registration, outcome: verdict.outcome, reason: words)
            core.journal.writer.append(note, at: core.loop.noted)
            if verdict.outcome == .stored { androids.store(waiting, to: registration, push: id, now: now) }
        }
        reached = []
        if isCut {
            core.note(.other, ["topicMessage": .integer(Int64(id)), "devicesReached": .integer(Int64(Self.mostReached))])
        }
        for late in androids.takeLate() { tell(late) }
        core.journal.markDirty()
    }

    private func tell(_ late: LateOutcome) {
        core.shared.tell(late, to: core.journal.writer, at: core.loop.noted)
        core.journal.markDirty()
    }

    func tellLate() {}

    // MARK: The answer

    func identify(_ exchange: ServerExchange, _ facts: MessageFacts, isSuccess: Bool) { front.identify(exchange) }

    func respond(_ exchange: ServerExchange, _ facts: MessageFacts, _ reason: FCMReason?, timestampMilliseconds: Int64?) {
        let head = exchange.head
        guard let reason else { return name(facts, head, exchange) }
        var circumstances = RefusalCircumstances()
        if let field = head.index(of: ":path") {
            circumstances.project = head.value(at: field).extracting(facts.project).text
            circumstances.path = head.value(at: field).text
        }
        if validator.rejected == reason {
            (circumstances.violations, circumstances.message) = (validator.violations, validator.message)
        }
        circumstances.apple = apple
        front.send(GoogleAnswer(reason, circumstances), on: exchange)
    }

    /// Answers a message that was taken with its name.
    private func name(_ facts: MessageFacts, _ head: HeaderBlock, _ exchange: ServerExchange) {
        guard let field = head.index(of: ":path") else { preconditionFailure("what was taken has a path") }
        let scratch = scratch
        scratch.clear()
        MessageName.write(project: head.value(at: field).extracting(facts.project), messageID(facts), to: scratch)
        front.send(taken: scratch.bytes, on: exchange)
    }

    /// Decimal for topics and conditions, as seen, and for what is not delivered (docs/fcm.md §2, §3).
    private func messageID(_ facts: MessageFacts) -> MessageID {
        let number = generator.next()
        guard facts.target == .token || facts.target == .fid, !facts.isDryRun else { return .number(number) }
        switch shared.settings.messageIDs {
        case .number: return .number(number)
        case .uuid: return .uuid(UUIDBytes(high: number, low: generator.next()))
        case .sample:
            return .sample(microseconds: front.answeredAt.nanoseconds / 1_000, UInt32(truncatingIfNeeded: number))
        }
    }

    func id(_ facts: MessageFacts) -> String { "" }
}

extension FCMPipeline {
    /// Both versions of HTTP, and 100 streams at once (docs/fcm.md §1).
    static func configuration(
        _ shared: MockShared, _ environment: PushEnvironment, tls: TLSServerSettings?
    ) -> ServerConfiguration {
        var configuration = ServerConfiguration(tls: tls)
        configuration.limits.maxBodyBytes = FrontEnd.largestBody
        configuration.limits.maxHeaderListBytes = 16_384
        configuration.limits.maxConcurrentStreams = 100
        return configuration
    }
}

extension FCMVerdict: ProviderVerdict {
    @inline(__always) var read: MessageFacts { facts }
    @inline(__always) var refusal: FCMReason? { rejection }
    @inline(__always) var timeOfDeath: Int64? { nil }
}

/// What the mock FCM keeps of a connection. Confined to its loop.
final class FCMPeer: ProviderPeer {
    let sender = SenderConnection()
    var requests: UInt32 = 0
    var plannedFault: LoopTimer?
    var hasOverrun = false

    func serves(_ exchange: ServerExchange) -> Bool { true }
    func judged(on connection: ServerConnection) {}
    func keepStreamLimit() {}
}
