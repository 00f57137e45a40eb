// What `GET /v1/events` tells of, by the names that its frames bear.

/// One kind of server-sent event. docs/openapi.yaml describes what each carries.
enum EventKind: UInt8, CaseIterable, Sendable {
    /// A request that reached the mock.
    case push
    /// What became in the end of a push that was stored.
    case outcome
    /// What a Live Activity has become by a push or by a change of its token.
    case activity
    /// A token was set or removed through this API.
    case token
    /// A fault rule was set, was removed, or has fired.
    case fault
    case clock
    /// Something happened on a virtual phone, or one was made, changed or removed.
    case phone
    case reset

    var word: StaticString {
        switch self {
        case .push: "push"
        case .outcome: "outcome"
        case .activity: "activity"
        case .token: "token"
        case .fault: "fault"
        case .clock: "clock"
        case .phone: "phone"
        case .reset: "reset"
        }
    }
}

/// Which kinds a listener wants.
struct EventKinds: OptionSet, Hashable, Sendable {
    var rawValue: UInt16

    static let all = EventKind.allCases.reduce(into: EventKinds()) { $0.insert(EventKinds($1)) }

    init(rawValue: UInt16) { self.rawValue = rawValue }
    init(_ kind: EventKind) { rawValue = 1 << kind.rawValue }

    /// Words between commas; nil when one of them is none.
    init?(parsing text: String) {
        self.init()
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let kind = EventKind.allCases.first(where: { $0.word.description == part }) else { return nil }
            insert(EventKinds(kind))
        }
    }

    func contains(_ kind: EventKind) -> Bool { contains(EventKinds(kind)) }

    /// Whether requests have to be taken apart for it; otherwise they are passed over.
    var needRequests: Bool { contains(.push) || contains(.activity) }
}
