// What is decided for one mock, and what nobody outside Apple knows: each open question of docs/apns.md that the
// rules meet is a field with its default argued beside it.

package import Basics
package import Pushes

/// How one APNs endpoint judges.
package struct APNsSettings: Sendable {
    package var environment: PushEnvironment
    /// Bundle IDs the provider's team owns; a push to another is TopicDisallowed. Nil: any.
    package var allowedTopics: [String]?

    // Documented or observed; switches for tests that want less.

    /// 429 for a third different provider token on one connection within `tokenUpdateInterval`, good or bad (§7, §8).
    package var enforceTokenUpdateRate = true
    package var tokenUpdateInterval = Interval.seconds(20 * 60)
    /// Whose tokens are counted together. The text says "on the same connection", an engineer that connections from one
    /// address count together and keys of a team are one (§8). Default: what is documented.
    package var tokenUpdateScope = TokenUpdateScope.connection
    /// After such a 429 every push of the connection gets it until the interval is over (§8, an engineer's word).
    package var updateRateBlocksConnection = true
    /// After ExpiredProviderToken only a new connection helps (§8, observed).
    package var wedgesAfterExpiredToken = true
    /// The greatest distance of `iat` from now (§8).
    package var providerTokenLifetime = Interval.seconds(3600)

    /// What a connection is bound to by its first push besides its team (§8). Default: the topics that its key lists at
    /// that moment, so that one added to the key later needs a new connection, and relays of several apps work.
    package var topicBinding = TopicBinding.keyTopics
    /// Whether client certificates are judged (§9); if not, they are overlooked, as if none were shown.
    package var judgesCertificates = true
    /// After that many requests on a connection with provider tokens every further one is InternalServerError until the
    /// provider reconnects (§8, observed 2016-17). Nil, the default: never.
    package var internalErrorAfter: Int?

    /// Whether streams beyond the announced MAX_CONCURRENT_STREAMS are refused (§2.1). Refusals were seen after the drop
    /// to 1 in 2016, and never on a young connection. Default: served until the limit was acknowledged, because ordinary
    /// load tools open their streams before they have read any SETTINGS.
    package var streamLimit = StreamLimit.announced

    // Unsure.

    /// §2.1, §15.6: a rejection drops the limit of streams to 1, and the next accepted push restores it. Last seen in
    /// 2020, and not documented. Default: it stays.
    package var rejectionDropsStreamLimit = false
    /// §8, §15.11: the text bounds the distance both ways but names no reason for the future. Default: expired, because
    /// a client whose clock was ahead re-signed without end, and clients re-sign on ExpiredProviderToken.
    package var futureIssuedAt = FutureIssuedAt.expired
    /// §4, §15.2: *specifying* 10 is called an error, so the default refuses an explicit 10 and lets pass a push
    /// without the header, although the header's default is 10 as well.
    package var backgroundPriority = BackgroundPriority.refuseExplicitTen
    /// §5, §15.3: no reason exists for malformed JSON. Default: accepted, and no device can decode it.
    package var malformedPayload = MalformedPayload.accept
    /// §3: one relay's code says that an empty apns-collapse-id is refused.
    package var refusesEmptyCollapseID = true
    /// Hex digits of a device token. Sizes from 64 to 160 were seen and none may be assumed (§3, §10): the bounds only
    /// keep out what nobody would issue.
    package var tokenDigits = 32...512
    /// The `attributes-type`s that the app has, which a start must spell to the letter (§10); nil: any.
    package var attributesTypes: [String]?
    /// §15.9: whether the client's `apns-id` comes back as spelled, upper case included. For whoever writes the answer.
    package var echoesMessageIDVerbatim = true
    /// Whether a client that comes again may resume its TLS session. Nobody has told that Apple's servers let it.
    package var resumesTLS = false

    package enum FutureIssuedAt: String, Sendable, CaseIterable { case accept, expired, invalid }
    package enum BackgroundPriority: String, Sendable, CaseIterable {
        case accept
        case refuseExplicitTen = "refuse-explicit-ten"
        case refuseTenAndAbsent = "refuse-ten-and-absent"
    }
    package enum MalformedPayload: String, Sendable, CaseIterable {
        case accept
        case payloadEmpty = "payload-empty"
    }

    package init(environment: PushEnvironment = .sandbox, allowedTopics: [String]? = nil) {
        self.environment = environment
        self.allowedTopics = allowedTopics
    }
}

/// What becomes of streams beyond the announced MAX_CONCURRENT_STREAMS.
package enum StreamLimit: String, Sendable, CaseIterable {
    /// They are served until the client has acknowledged the limit; what it opens then it opens knowing it, and that is
    /// refused (RFC 9113 §5.1.2).
    case announced
    /// They are served always, for clients that keep no count.
    case ignored
    /// RST_STREAM with REFUSED_STREAM, and then STREAM_CLOSED for DATA that follows.
    case enforced
}

/// Whose provider tokens the 20-minute rule counts together.
package enum TokenUpdateScope: String, Sendable, CaseIterable {
    case connection
    case peerAndTeam = "peer-and-team"
}

/// Which topics the first push of a connection binds it to.
package enum TopicBinding: String, Sendable, CaseIterable {
    /// None: the key's list as it is now.
    case none
    /// The key's list as it was at the first push.
    case keyTopics = "key-topics"
    /// The bundle ID of the first push alone, the strictest reading.
    case firstPush = "first-push"
}
