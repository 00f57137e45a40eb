// One request while it is being judged: where its fields stand, and what the checks have found so far.

import Basics
import HTTP
import Pushes

/// Where the fields that APNs reads stand in the header block; -1: absent.
struct FieldMap {
    var method = -1
    var path = -1
    var authorization = -1
    var topic = -1
    var pushType = -1
    var messageID = -1
    var expiration = -1
    var priority = -1
    var collapseID = -1
    /// One of these stands there twice. The first one counts.
    var hasDuplicate = false

    /// One pass over the names. Unknown fields are ignored, `host` among them (docs/apns.md §2.4).
    init(_ head: HeaderBlock) {
        for index in 0..<head.count {
            let name = head.name(at: index)
            switch name.count {
            case 5 where name.matches(":path"): Self.note(&path, index, &hasDuplicate)
            case 7 where name.matches("apns-id"): Self.note(&messageID, index, &hasDuplicate)
            case 7 where name.matches(":method"): Self.note(&method, index, &hasDuplicate)
            case 10 where name.matches("apns-topic"): Self.note(&topic, index, &hasDuplicate)
            case 13 where name.matches("authorization"): Self.note(&authorization, index, &hasDuplicate)
            case 13 where name.matches("apns-priority"): Self.note(&priority, index, &hasDuplicate)
            case 14 where name.matches("apns-push-type"): Self.note(&pushType, index, &hasDuplicate)
            case 15 where name.matches("apns-expiration"): Self.note(&expiration, index, &hasDuplicate)
            case 16 where name.matches("apns-collapse-id"): Self.note(&collapseID, index, &hasDuplicate)
            default: break
            }
        }
    }

    @inline(__always)
    private static func note(_ place: inout Int, _ index: Int, _ hasDuplicate: inout Bool) {
        if place < 0 { place = index } else { hasDuplicate = true }
    }
}

/// What the checks read and write, passed `inout` throughout (a borrow would copy it). It holds no reference to the
/// request: those are passed beside it, uncounted.
struct Inspection: ~Copyable {
    let now: WallTime
    var fields: FieldMap
    var facts: PushFacts
    /// Goes with a 410.
    var timestampMilliseconds: Int64?

    /// Where the JWT starts within the value of `authorization`; 0: not found yet.
    var tokenStart = 0
    /// The JWT is the connection's last accepted one: only its age is still to be judged.
    var isKnownToken = false
    /// Its hash, once it is known not to be.
    var jwtHash: Hash128?
    var verified: ProviderKeys.Verified?
    var keysGeneration: UInt64 = 0

    var topicParts: TopicParts?
    private var knownStanding: TokenStanding?

    init(_ head: HeaderBlock, _ context: CheckContext, now: WallTime) {
        self.now = now
        fields = FieldMap(head)
        if fields.messageID >= 0, let id = UUIDBytes(messageID: head.value(at: fields.messageID)) {
            facts = PushFacts(apnsID: id)
            facts.apnsIDGiven = true
            facts.apnsIDField = fields.messageID
        } else {
            facts = PushFacts(apnsID: context.makeID())
        }
        if fields.topic >= 0 { facts.topicField = fields.topic }
        if fields.collapseID >= 0 { facts.collapseField = fields.collapseID }
    }

    /// What a check answers that finds fault with the credential.
    mutating func refuse(_ reason: Reason, _ cause: CredentialCause) -> Reason {
        facts.credentialCause = cause
        return reason
    }

    /// Asks the directory once, when the first check wants to know.
    mutating func standing(_ head: HeaderBlock, _ context: CheckContext) -> TokenStanding {
        if let knownStanding { return knownStanding }
        guard facts.hasTokenHash else { return .active }
        let answer = askDirectory(head, context)
        knownStanding = answer
        facts.isOnPhone = answer == .activeOnPhone
        return answer
    }

    private func askDirectory(_ head: HeaderBlock, _ context: CheckContext) -> TokenStanding {
        let path = head.value(at: fields.path)
        let topic = fields.topic >= 0 ? head.value(at: fields.topic) : Span()
        return context.directory.standing(
            of: path.extracting(facts.token), hash: facts.tokenHash, topic: topic,
            environment: context.settings.environment, now: now)
    }
}

/// What all requests of one loop are judged with.
final class CheckContext {
    let settings: APNsSettings
    let allowedTopics: [[UInt8]]?
    let keys: ProviderKeys
    let directory: any TokenDirectory
    let ledger: TokenLedger
    let reader = TokenReader()
    let payloads: PayloadReader
    private var generator: Generator

    init(
        settings: APNsSettings, keys: ProviderKeys, directory: any TokenDirectory, ledger: TokenLedger, seed: Seed
    ) {
        self.settings = settings
        allowedTopics = settings.allowedTopics.map { $0.map { Array($0.utf8) } }
        payloads = PayloadReader(attributesTypes: settings.attributesTypes)
        self.keys = keys
        self.directory = directory
        self.ledger = ledger
        generator = seed.child("apns-id").generator()
    }

    /// Random bits, no version nibble: as the real ones look (docs/apns.md §0).
    func makeID() -> UUIDBytes { UUIDBytes(using: &generator) }
}
