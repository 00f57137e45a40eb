// What is said of providers' reasons for a refusal: lists of words, for whoever names a reason without knowing the
// provider's rules, as faults, knowledge and counters do. A provider is one list here, a case and a file of rows.

/// One row of a list of reasons.
package struct ReasonRow: Sendable {
    /// What a refusal is about, and so whose affair it is.
    package enum Subject: Hashable, Sendable {
        /// The form of what was sent: sent again as it is it would be refused again.
        case request
        /// The credential, or what its owner may do.
        case sender
        /// The device, the activity or the registration that was meant.
        case token
        /// The provider's own state, which passes.
        case provider
        /// The connection alone.
        case connection
    }

    /// Whether it says that nothing gets through to the token any more.
    package enum Death: Hashable, Sendable {
        /// For whatever is sent to it: it is to be forgotten.
        case forGood
        /// The same, but the other environment may know it, and is asked once (G3, R0.27).
        case atThisHost
        /// For what was sent: to forget it is right, to keep it no mistake.
        case asAddressed
    }

    /// What it says of the credential.
    package enum Credential: Hashable, Sendable {
        /// It has grown old: a new one is to be made.
        case expired
        /// The provider token itself is not right.
        case token
        /// The provider token changes too often.
        case tooNew
        /// The key behind it is another's, or is refused.
        case key
        /// The key is one of the other environment.
        case environment
        case certificate
    }

    /// The word on the wire.
    package let word: StaticString
    /// The HTTP status that carries it.
    package let status: UInt16
    /// One sentence for the one who was refused.
    package let explanation: String
    package let subject: Subject
    /// Nil: the token lives.
    package let death: Death?
    /// Nil: it says nothing of one.
    package let credential: Credential?
    /// The one that it speaks of.
    package let header: StaticString?
    /// A spelling that is printed somewhere: it is read, and never sent.
    let alias: StaticString?
    /// What Instance ID says for it about subscriptions to topics; nil: a reason that no endpoint of topics has.
    package let instanceIDWord: StaticString?

    /// `subject`: where it is not said, 429 and 5xx are about the provider, 410 about the token, 403 about the sender, and all
    /// else about the request.
    init(_ word: StaticString, _ status: UInt16, _ explanation: String, about subject: Subject? = nil,
        death: Death? = nil, credential: Credential? = nil, of header: StaticString? = nil,
        alsoRead alias: StaticString? = nil, topics instanceIDWord: StaticString? = nil
    ) {
        let usual: Subject =
            switch status {
            case 429, 500...: .provider
            case 410: .token
            case 401, 403: .sender
            default: .request
            }
        self.subject = subject ?? usual
        self.death = death ?? (status == 410 ? .forGood : nil)
        self.credential = credential
        self.header = header
        self.word = word
        self.status = status
        self.explanation = explanation
        self.alias = alias
        self.instanceIDWord = instanceIDWord
    }
}

/// The reasons of one provider's one API.
package enum ReasonList: UInt8, CaseIterable, Sendable {
    /// Of pushes on `/3/device`.
    case apns
    /// Of broadcasts and of operations on channels.
    case apnsBroadcasts
    /// Of messages on `messages:send`.
    case fcm
    /// Of FCM's token endpoint.
    case oauth

    package var provider: Provider {
        switch self {
        case .apns, .apnsBroadcasts: .apns
        case .fcm, .oauth: .fcm
        }
    }

    package var rows: [ReasonRow] {
        switch self {
        case .apns: Self.deviceRows
        case .apnsBroadcasts: Self.broadcastRows
        case .fcm: Self.messageRows
        case .oauth: Self.tokenRows
        }
    }

    /// Those of FCM that the endpoints of topics answer too.
    package static var topicWords: [String] {
        messageRows.filter { $0.instanceIDWord != nil }.map(\.word.description)
    }

    package var words: [String] { rows.map(\.word.description) }
}

/// A reason of any list.
package struct NamedReason: Hashable, Sendable {
    package let list: ReasonList
    /// Its row in the list.
    package let index: UInt8

    init(_ list: ReasonList, _ index: UInt8) {
        self.list = list
        self.index = index
    }

    /// Reads the word as spelled on the wire, or as printed somewhere.
    package init?(word: String, in list: ReasonList) {
        let place = list.rows.firstIndex { $0.word.description == word || $0.alias?.description == word }
        guard let place else { return nil }
        self.init(list, UInt8(place))
    }

    package var row: ReasonRow { list.rows[Int(index)] }
    package var word: StaticString { row.word }
    package var status: UInt16 { row.status }
    /// Whether the answer carries a `timestamp`: that of a token which was good once.
    package var hasTimestamp: Bool { status == 410 }

    /// The reason of the same word in another list.
    package func `in`(_ list: ReasonList) -> NamedReason? { NamedReason(word: word.description, in: list) }
}

/// A provider's reasons as its rules know them: an enum with a case for each row of its list, in the same order, named by
/// the row's word.
package protocol ProviderReason: CaseIterable, Hashable, RawRepresentable, Sendable where RawValue == UInt8 {
    static var list: ReasonList { get }
}

extension ProviderReason {
    package static var rows: [ReasonRow] { list.rows }
    package var named: NamedReason { NamedReason(Self.list, rawValue) }
    package var row: ReasonRow { Self.rows[Int(rawValue)] }
    package var word: StaticString { row.word }
    package var status: UInt16 { row.status }
    package var explanation: String { row.explanation }
    package var hasTimestamp: Bool { named.hasTimestamp }

    /// Nil for a reason of another list.
    package init?(_ reason: NamedReason) {
        guard reason.list == Self.list else { return nil }
        self.init(rawValue: reason.index)
    }

    /// Reads the word as spelled on the wire, or as printed somewhere.
    package init?(word: String) {
        guard let reason = NamedReason(word: word, in: Self.list) else { return nil }
        self.init(reason)
    }
}
