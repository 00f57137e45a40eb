// The judge: one send in, a message or a refusal out, by the table of `SendChecks.swift`.

package import Basics
package import HTTP
import Pushes

/// What a connection keeps for the judge.
package final class SenderConnection {
    /// The last good access token and what it allows: most sends of a connection bear the same.
    fileprivate var token: [UInt8] = []
    fileprivate var grant: AccessGrant?

    package init() {}
}

/// Judges requests of `messages:send`. One per loop; confined to its thread.
package final class FCMValidator {
    /// Bytes of a send's body: far more than any message that is taken.
    package static let largestBody = 65_536

    private let settings: FCMSettings
    private let access: any AccessDirectory
    private let registrations: any RegistrationDirectory
    private let checks: [FCMCheck]
    private let steps: [SendStep]
    let reader = BodyReader()
    private let scratch = ByteBuffer(capacity: 256)
    /// What the last refusal has to say beside its reason: valid until the next send.
    package private(set) var violations: [FieldViolation] = []
    /// What was wrong in our words, where the answer does not say it.
    private(set) var unnamed: String?
    package private(set) var message: String?
    /// The reason of the last refusal.
    package private(set) var rejected: FCMReason?

    package init(
        settings: FCMSettings, access: any AccessDirectory, registrations: any RegistrationDirectory,
        checks: [FCMCheck] = FCMCheck.sends
    ) {
        self.settings = settings
        self.access = access
        self.registrations = registrations
        self.checks = checks
        steps = checks.map(\.step)
    }

    /// `head` has the pseudo-header fields of HTTP/2, also of HTTP/1.1, and names in lower case.
    package func validate(
        _ head: HeaderBlock, body: ByteBuffer, connection: SenderConnection, now: WallTime
    ) -> FCMVerdict {
        var facts = MessageFacts()
        if !violations.isEmpty { violations.removeAll() }
        if unnamed != nil { unnamed = nil }
        message = nil
        rejected = nil
        for index in steps.indices {
            let objection: FCMReason? =
                switch steps[index] {
                case .path: path(&facts, head)
                case .form: form(head)
                case .credential: credential(head, connection, now)
                case .project: project(facts, head, connection)
                case .bodySize: body.count > Self.largestBody ? .payloadTooLarge : nil
                case .fields: fields(body)
                case .target: target(&facts)
                case .androidForms: androidForms()
                case .targetForm: targetForm(facts, body)
                case .dataKeys: dataKeys()
                case .timeToLive: timeToLive(&facts)
                case .webpushTTL: webpushTTL()
                case .size: size(facts, body)
                case .activityToken: activityToken()
                case .registration: registration(&facts, head, body, now)
                case .restrictedPackage: restrictedPackage(facts)
                }
            if let objection {
                rejected = objection
                return FCMVerdict(facts: facts, rejection: objection, check: checks[index].name)
            }
        }
        describe(&facts, body)
        return FCMVerdict(facts: facts)
    }

    // MARK: The request

    private func path(_ facts: inout MessageFacts, _ head: HeaderBlock) -> FCMReason? {
        guard let method = head.index(of: ":method"), let field = head.index(of: ":path"),
            head.value(at: method).equals("POST"), let project = SendPath.project(head.value(at: field))
        else { return .notFound }
        facts.project = project
        return nil
    }

    private func form(_ head: HeaderBlock) -> FCMReason? {
        guard let field = head.index(of: ":path"),
            let objection = AnswerParameters(path: head.value(at: field)).objection
        else { return nil }
        violations = [objection]
        return .invalidJSON
    }

    private func credential(_ head: HeaderBlock, _ connection: SenderConnection, _ now: WallTime) -> FCMReason? {
        guard settings.demandsAccessToken else { return nil }
        guard let field = head.index(of: "authorization") else { return .credentialsMissing }
        let value = head.value(at: field)
        guard let start = BearerText.start(value) else { return .credentialsMissing }
        let token = value.extracting(start..<value.count)
        let last = connection.token
        if !last.span.equals(token) {
            connection.grant = access.grant(of: token)
            connection.token = connection.grant == nil ? [] : token.array
        }
        guard let grant = connection.grant else { return .invalidCredentials }
        guard now < grant.expiresAt else { return .accessTokenExpired }
        return grant.maySend ? nil : .scopeInsufficient
    }

    private func project(_ facts: MessageFacts, _ head: HeaderBlock, _ connection: SenderConnection) -> FCMReason? {
        guard settings.demandsAccessToken, let granted = connection.grant?.project, let field = head.index(of: ":path")
        else { return nil }
        let project = head.value(at: field).extracting(facts.project)
        return granted.span.equals(project) ? nil : .iamPermissionDenied
    }

    private func fields(_ body: ByteBuffer) -> FCMReason? {
        if reader.read(body.bytes) { return nil }
        violations = reader.violations
        return .invalidJSON
    }

    // MARK: The message

    private func target(_ facts: inout MessageFacts) -> FCMReason? {
        if let node = reader.node(.token) {
            take(node, .token, &facts)
        } else if let node = reader.node(.fid) {
            take(node, .fid, &facts)
        } else if let node = reader.node(.topic) {
            take(node, .topic, &facts)
        } else if let node = reader.node(.condition) {
            take(node, .condition, &facts)
        } else {
            return .recipientNotSet
        }
        return nil
    }

    private func take(_ node: Int, _ target: MessageTarget, _ facts: inout MessageFacts) {
        facts.target = target
        facts.targetText = place(of: node)
    }

    /// Between the quotes of a text; of all else the whole.
    func place(of node: Int) -> Range<Int> {
        let row = reader.scanner.node(node)
        let quote = row.kind == .string ? 1 : 0
        return Int(row.start) + quote..<Int(row.end) - quote
    }

    /// Either form of `android`, not both.
    private func androidForms() -> FCMReason? {
        reader.node(.android) != nil && reader.node(.androidV2) != nil ? .invalidArgument : nil
    }

    private func targetForm(_ facts: MessageFacts, _ body: ByteBuffer) -> FCMReason? {
        let text = body.bytes.extracting(facts.targetText)
        switch facts.target {
        case .token:
            let isRight = RegistrationForm.isToken(text) || RegistrationForm.isInstallation(text)
            return isRight ? nil : .invalidRegistrationToken
        // A FID that is none is as good as gone (§3.4).
        case .fid: return RegistrationForm.isInstallation(text) ? nil : .unregistered
        case .topic: return TopicForm.isName(text) ? nil : .invalidTopic
        case .condition: return TopicCondition(text.text) == nil ? .invalidCondition : nil
        case .none: return nil
        }
    }

    private func dataKeys() -> FCMReason? {
        guard let key = reservedKey(.data) ?? reservedKey(.androidData) else { return nil }
        message = "Invalid data payload key: \(key)"
        return .invalidDataKey
    }

    /// The first key of that map that may not be used.
    private func reservedKey(_ slot: MessageSlot) -> String? {
        guard let map = reader.node(slot) else { return nil }
        let scanner = reader.scanner
        var child = Int(scanner.node(map).firstChild)
        while child >= 0 {
            let node = scanner.node(child)
            if node.keyHasEscapes {
                if let key = scanner.key(child), withBytes(of: key, { Self.isReserved($0) }) { return key }
            } else if Self.isReserved(scanner.keyContent(child)) {
                return scanner.key(child)
            }
            child = Int(node.next)
        }
        return nil
    }

    private static func isReserved(_ key: Span<UInt8>) -> Bool {
        key.equals("from") || key.equals("message_type") || key.hasPrefix("google.") || key.hasPrefix("gcm.notification.")
    }

    private static let longestTTL: Int64 = 2_419_200

    private func timeToLive(_ facts: inout MessageFacts) -> FCMReason? {
        let scanner = reader.scanner
        guard let node = reader.node(.timeToLive), let duration = DurationText(scanner.content(node)) else { return nil }
        guard 0...Self.longestTTL ~= duration.seconds else { return .invalidTTL }
        facts.timeToLive = duration.seconds
        return nil
    }

    private func webpushTTL() -> FCMReason? {
        let scanner = reader.scanner
        guard let headers = reader.node(.webpushHeaders), let node = scanner.member("TTL", of: headers) else { return nil }
        let text = scanner.content(node)
        guard text.count > 0 else { return .invalidWebpushTTL }
        for index in text.indices where !(48...57 ~= text[index]) { return .invalidWebpushTTL }
        return nil
    }

    private func size(_ facts: MessageFacts, _ body: ByteBuffer) -> FCMReason? {
        // `android.data` stands in the place of `data`.
        let bytes =
            textBytes(of: reader.node(.androidData) ?? reader.node(.data)) + textBytes(of: reader.node(.notification))
            + textBytes(of: reader.node(.androidNotification))
        let isToTopic = facts.target == .topic || facts.target == .condition
        guard let limit = isToTopic ? settings.topicSizeLimit ?? settings.sizeLimit : settings.sizeLimit else { return nil }
        if bytes > limit {
            return isToTopic ? .messageTooBig : isForAndroid(facts, body) ? .androidMessageTooBig : .invalidArgument
        }
        if let payload = reader.node(.apnsPayload), place(of: payload).count > settings.sizeLimit ?? .max {
            return isToTopic ? .messageTooBig : .invalidArgument
        }
        return nil
    }

    /// Each platform is told of its size in words of its own (docs/fcm.md §2).
    private func isForAndroid(_ facts: MessageFacts, _ body: ByteBuffer) -> Bool {
        guard reader.node(.liveActivityToken) == nil else { return false }
        return registrations.isAndroid(Hash128(hashing: body.bytes.extracting(facts.targetText)))
    }

    /// Keys and texts of an object's members, decoded.
    private func textBytes(of object: Int?) -> Int {
        guard let object else { return 0 }
        let scanner = reader.scanner
        var sum = 0
        var child = Int(scanner.node(object).firstChild)
        while child >= 0 {
            let node = scanner.node(child)
            sum += node.keyHasEscapes ? (scanner.key(child)?.utf8.count ?? 0) : Int(node.keyEnd - node.keyStart)
            if node.kind == .string {
                if node.hasEscapes {
                    let scratch = scratch
                    scratch.clear()
                    scanner.decodeString(child, into: scratch)
                    sum += scratch.count
                } else {
                    sum += Int(node.end - node.start) - 2
                }
            }
            child = Int(node.next)
        }
        return sum
    }

    /// A Live Activity's message has the token of its activity beside the registration. Google does not say by what it knows
    /// such a message; that it goes by the push type, the event or a token that lies elsewhere is our choice. The answer names
    /// no field, for the registration is right.
    private func activityToken() -> FCMReason? {
        if let node = reader.node(.liveActivityToken), !place(of: node).isEmpty { return nil }
        guard isOfActivity else { return nil }
        unnamed = "a Live Activity's message needs apns.live_activity_token"
        return .invalidArgument
    }

    private var isOfActivity: Bool {
        let scanner = reader.scanner
        if reader.node(.liveActivityToken) != nil { return true }
        if let headers = reader.node(.apnsHeaders), let type = scanner.member("apns-push-type", of: headers),
            scanner.isString(type, PushType.liveactivity.word)
        {
            return true
        }
        guard let payload = reader.node(.apnsPayload) else { return false }
        if scanner.member("live_activity_token", of: payload) != nil { return true }
        guard let aps = scanner.member("aps", of: payload) else { return false }
        if scanner.member("content-state", of: aps) != nil { return true }
        guard let event = scanner.member("event", of: aps) else { return false }
        return ActivityEvent.allCases.contains { scanner.isString(event, $0.word) }
    }

    private func registration(
        _ facts: inout MessageFacts, _ head: HeaderBlock, _ body: ByteBuffer, _ now: WallTime
    ) -> FCMReason? {
        guard facts.target == .token || facts.target == .fid, let field = head.index(of: ":path") else { return nil }
        let text = body.bytes.extracting(facts.targetText)
        facts.tokenHash = Hash128(hashing: text)
        let path = head.value(at: field)
        let project = path.extracting(facts.project)
        switch registrations.standing(of: text, hash: facts.tokenHash, project: project, now: now) {
        case .active: return nil
        case .unregistered: return .unregistered
        case .ofOtherProject: return .senderIDMismatch
        }
    }

    /// Of a topic everybody's app may be another, and those of other apps are left out.
    private func restrictedPackage(_ facts: MessageFacts) -> FCMReason? {
        guard facts.target == .token || facts.target == .fid, let node = reader.node(.restrictedPackage) else { return nil }
        let scanner = reader.scanner
        return registrations.isApp(scanner.content(node), of: facts.tokenHash) ? nil : .invalidArgument
    }
}
