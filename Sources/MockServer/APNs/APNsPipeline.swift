// The mock APNs on one loop: what of a push's way is Apple's own. The way itself is the core's (`Provider+Serving.swift`).

import APNs
import Basics
import Devices
import EventLoop
import Faults
import HTTP
import HTTP2
import Journal
import Net
import Pushes

/// Answers APNs requests on one loop. Confined to it.
final class APNsPipeline: Provider {
    let core: PipelineCore
    let settings: APNsSettings
    private let validator: APNsValidator
    private let broadcasts: BroadcastPipeline
    let delivery: AppleDelivery
    private var generator: Generator
    private let scratch = ByteBuffer(capacity: 36)

    init(loop: EventLoop, shared: MockShared, environment: PushEnvironment, index: Int) throws(Failure) {
        settings = shared.settings(for: environment)
        let isFirst = environment == shared.environments[0]
        let name = isFirst ? "apns-\(index)" : "\(environment.word)-\(index)"
        let seed = shared.seed.child(name)
        delivery = AppleDelivery(shared: shared, environment: environment, decoder: SchemaDecoder(shared.schemas))
        validator = APNsValidator(
            settings: settings, keys: shared.keys, directory: shared.devices,
            ledger: shared.ledger(for: environment), seed: seed.child("apns-id"))
        generator = seed.child("apns-unique-id").generator()
        core = try PipelineCore(
            loop: loop, shared: shared, reasons: Reason.list, environment: environment, name: name,
            place: isFirst ? index : shared.loops + index)
        broadcasts = BroadcastPipeline(
            loop: loop, shared: shared, settings: settings, endpoint: .sending, journal: core.journal,
            seed: seed.child("broadcasts"))
    }

    private static let expired = Reason.expiredProviderToken.word.description

    static var farewell: [UInt8] { rejectionBody(.shutdown, timestampMilliseconds: nil) }

    func refused(_ refusal: Refusal, times: Int) { core.shared.refusedByAPNs.add(refusal, times: times) }

    // MARK: Who it is

    /// Whoever shows a client certificate may use all streams at once (docs/apns.md §2.1).
    func firstStreamLimit(for connection: ServerConnection) -> UInt32? {
        APNsPeer.greet(connection, settings, core.shared.credentials)
    }

    func greet(_ connection: ServerConnection, _ peer: APNsPeer, _ facts: inout JSONObject) -> Bool {
        let refusal = peer.refusal(in: settings.environment, now: core.shared.clock.wall())
        if let certificate = peer.shown?.certificate {
            facts["certificate"] = .array(certificate.topics.map { .string($0.name) })
        }
        guard let refusal else { return true }
        facts["refused"] = .string(refusal.word.description)
        peer.refuse(connection, refusal)
        return false
    }

    func firing(_ facts: PushFacts, _ exchange: ServerExchange, _ peer: APNsPeer) -> Firing? {
        let (head, connection) = (exchange.head, exchange.connection!)
        guard let topicField = facts.topicField else { return nil }
        var credential: UInt64 = 0
        if let field = head.index(of: "authorization") {
            let value = head.value(at: field)
            credential = Hash128(hex: value).low
        }
        let subject = FaultSubject(
            push: facts, topic: head.value(at: topicField), nthOfToken: pushCount(of: facts, head),
            nthOfConnection: UInt32(clamping: peer.provider.requestCount),
            caller: core.caller(connection.number, acceptedAt: connection.metAt), credential: credential)
        let firing = core.shared.faults.firing(for: subject, now: exchange.arrivedAt)
        // Said by a fault as Apple says it, the connection is as useless as behind Apple's own word (§8).
        if let firing, firing.isOfConnection, settings.wedgesAfterExpiredToken, firing.action.reason == Self.expired {
            peer.provider.wedge()
        }
        return firing
    }

    private func pushCount(of facts: PushFacts, _ head: HeaderBlock) -> UInt32 {
        let devices = core.shared.devices
        guard facts.isOnPhone, let path = head.index(of: ":path") else { return devices.pushCount(of: facts.tokenHash) }
        let token = head.value(at: path).extracting(facts.token)
        return devices.phones.pushCount(of: token, hash: facts.tokenHash) ?? 0
    }

    // MARK: What it says

    func judge(_ exchange: ServerExchange, _ peer: APNsPeer, now: WallTime) -> APNsVerdict {
        validator.validate(exchange.head, body: exchange.body, connection: peer.provider, now: now)
    }

    /// Broadcasts come to the same port.
    func servesOtherwise(
        _ exchange: ServerExchange, _ verdict: APNsVerdict, _ peer: APNsPeer, now: WallTime
    ) -> Bool {
        let head = exchange.head
        guard verdict.rejection == .badPath || verdict.rejection == .methodNotAllowed, let path = head.index(of: ":path"),
            BroadcastValidator.isSending(head.value(at: path))
        else { return false }
        let reply = broadcasts.handle(exchange, peer, now: now)
        peer.judged(on: exchange.connection)
        if let fault = reply.fault { core.count(fault) }
        reply.carryOut(on: exchange, peer, core.loop) { [core] in core.finish() }
        return true
    }

    func deliver(
        _ facts: PushFacts, _ exchange: ServerExchange, now: WallTime
    ) -> (Outcome?, PhoneReason?) {
        delivery.deliver(facts, exchange.head, exchange.body, now: now)
    }

    // MARK: The answer

    /// `apns-id`, and with a success of the sandbox `apns-unique-id`.
    func identify(_ exchange: ServerExchange, _ facts: PushFacts, isSuccess: Bool) {
        let peer = peer(of: exchange.connection)
        if settings.rejectionDropsStreamLimit { peer.answered(exchange.connection, isSuccess: isSuccess) }
        let fields = exchange.responseHead
        if let field = facts.apnsIDField, settings.echoesMessageIDVerbatim {
            let head = exchange.head
            fields.append("apns-id", head.value(at: field), neverIndexed: peer.hasAnswered)
        } else {
            append("apns-id", facts.apnsID, uppercase: !facts.apnsIDGiven, to: fields, neverIndexed: peer.hasAnswered)
        }
        if isSuccess, settings.environment == .sandbox {
            let unique = UUIDBytes(using: &generator)
            append("apns-unique-id", unique, uppercase: false, to: fields, neverIndexed: peer.hasAnswered)
        }
        peer.hasAnswered = true
    }

    private func append(
        _ name: StaticString, _ id: UUIDBytes, uppercase: Bool, to fields: HeaderBlock, neverIndexed: Bool
    ) {
        let scratch = scratch
        scratch.clear()
        scratch.append(upTo: 36) { id.write(uppercase: uppercase, to: &$0) }
        fields.append(name, scratch.bytes, neverIndexed: neverIndexed)
    }

    /// 200 is one HEADERS frame with `:status` and `apns-id`; a refusal adds one DATA frame (docs/apns.md §0).
    @inline(__always)
    func respond(_ exchange: ServerExchange, _ facts: PushFacts, _ reason: Reason?, timestampMilliseconds: Int64?) {
        guard let reason else { return exchange.respond(status: 200) }
        exchange.respond(
            status: Int(reason.status), body: rejectionBody(reason, timestampMilliseconds: timestampMilliseconds))
    }

    func id(_ facts: PushFacts) -> String { facts.apnsID.text(uppercase: !facts.apnsIDGiven) }
}

extension APNsPipeline {
    /// The first SETTINGS are those captured from Apple, in the same order (docs/apns.md §0).
    static func configuration(
        _ shared: MockShared, _ environment: PushEnvironment, tls: TLSServerSettings?
    ) -> ServerConfiguration {
        var configuration = ServerConfiguration(tls: tls)
        configuration.allowsHTTP1 = false
        // Larger than any payload that is allowed, so that the rules see and refuse what is too large.
        configuration.limits.maxBodyBytes = 16_384
        configuration.limits.maxHeaderListBytes = 8_000
        // Announced is one stream, until the first valid provider token.
        configuration.limits.maxConcurrentStreams = APNsPeer.wideStreamLimit
        configuration.http2Settings = [
            .headerTableSize(4_096), .maxConcurrentStreams(1), .initialWindowSize(65_535), .maxFrameSize(16_384),
            .maxHeaderListSize(8_000),
        ]
        configuration.announcedStreams = shared.settings(for: environment).streamLimit.inNet
        return configuration
    }
}

/// Under names of its own, so that the compiler reads the fields where they are.
extension APNsVerdict: ProviderVerdict {
    @inline(__always) var read: PushFacts { facts }
    @inline(__always) var refusal: Reason? { rejection }
    @inline(__always) var timeOfDeath: Int64? { timestampMilliseconds }
}

extension StreamLimit {
    fileprivate var inNet: AnnouncedStreams {
        switch self {
        case .announced: .enforcedOnceRead
        case .enforced: .enforced
        case .ignored: .served
        }
    }
}
