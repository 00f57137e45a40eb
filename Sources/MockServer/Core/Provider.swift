// The seam between a mock and a push service. A provider identifies, judges, delivers and answers; the order of these
// steps, the journal, the faults and the counters are the core's, once for all (`Provider+Serving.swift`):
//
//     request ─▶ judge ─▶ fault script ─▶ deliver ─▶ journal ─▶ answer
//                  │ refused    │ respond              ▲          ▲
//                  └────────────┴──────────────────────┘          └ held by a timer when the script says delay
//
// A new provider is a folder beside `APNs`: its pipeline, which conforms to `Provider`, and what it keeps of a connection.

import Basics
import Devices
import EventLoop
import Faults
import HTTP
import Journal
import Net
import Pushes

/// One push service on one loop. Confined to it. Conforming types are final classes: the core's part is an extension, made
/// anew for each of them by the compiler, so that nothing on the data path is called dynamically.
protocol Provider: ServerHandler, SendableMetatype {
    /// What it keeps of a connection. Every connection has one as its context, from `firstStreamLimit` or `prepare` on.
    associatedtype Peer: ProviderPeer
    associatedtype Verdict: ProviderVerdict
    typealias Facts = Verdict.Facts

    var core: PipelineCore { get }

    /// `index` is the loop's.
    init(loop: EventLoop, shared: MockShared, environment: PushEnvironment, index: Int) throws(Failure)

    /// What a server of that environment announces and bears.
    static func configuration(_ shared: MockShared, _ environment: PushEnvironment, tls: TLSServerSettings?)
        -> ServerConfiguration
    /// Said with GOAWAY when the mock stops.
    static var farewell: [UInt8] { get }

    // MARK: Who it is

    /// A connection is there, of either version of HTTP: the place to give it its peer, where `firstStreamLimit` has not.
    func prepare(_ connection: ServerConnection)
    /// Meets a connection after our first SETTINGS and adds to what the record says of it. False: it was told to go.
    func greet(_ connection: ServerConnection, _ peer: Peer, _ facts: inout JSONObject) -> Bool
    /// The first rule that meets a push which was accepted, if any; `PipelineCore.caller` is the connection's part.
    func firing(_ facts: Facts, _ exchange: ServerExchange, _ peer: Peer) -> Firing?
    /// A fault took the place of the delivery of what the rules accept.
    func spoiled(_ facts: Facts, _ exchange: ServerExchange, now: WallTime)

    // MARK: What it says

    /// The provider's own rules, pure but for what they keep of the connection.
    func judge(_ exchange: ServerExchange, _ peer: Peer, now: WallTime) -> Verdict
    /// Asked of what was refused, so that pushes do not pay for it: whether it is a request of another kind on the same
    /// port, which the provider then serves by itself, from script to answer.
    func servesOtherwise(_ exchange: ServerExchange, _ verdict: Verdict, _ peer: Peer, now: WallTime) -> Bool
    /// What the device does with a push, and why, where a virtual phone has the token. Nil: none ever heard of it.
    func deliver(_ facts: Facts, _ exchange: ServerExchange, now: WallTime) -> (Outcome?, PhoneReason?)

    // MARK: What is on record

    /// Adds what was read of the request.
    func describe(
        _ draft: inout PushDraft, _ facts: Facts, _ exchange: ServerExchange, isAccepted: Bool, now: WallTime)
    /// The push is on record under that id: for what comes of it later.
    func recorded(_ id: UInt64, _ outcome: Outcome?, _ facts: Facts, _ exchange: ServerExchange, now: WallTime)
    /// Puts on record what has become of stored pushes, outside a turn that handles requests.
    func tellLate()

    // MARK: The answer

    /// Adds the fields that every answer has.
    func identify(_ exchange: ServerExchange, _ facts: Facts, isSuccess: Bool)
    /// Sends the answer, whose fields are there: of a refusal with its time of death in milliseconds since 1970, where the
    /// reason has one.
    func respond(_ exchange: ServerExchange, _ facts: Facts, _ reason: Verdict.Reason?, timestampMilliseconds: Int64?)
    /// The id in the answer, in 36 characters.
    func id(_ facts: Facts) -> String
}

/// What a provider's rules say of a request.
protocol ProviderVerdict {
    /// What was read: numbers and places in the request's own bytes, no heap.
    associatedtype Facts
    /// Its table of errors.
    associatedtype Reason: ProviderReason

    var read: Facts { get }
    /// Nil: accepted.
    var refusal: Reason? { get }
    /// In milliseconds since 1970, with reasons that have one.
    var timeOfDeath: Int64? { get }
}

/// What a provider keeps of one connection. Confined to its loop.
protocol ProviderPeer: AnyObject {
    /// What a fault is still to do to the connection.
    var plannedFault: LoopTimer? { get set }
    /// It is on record that the peer opened more streams than it knew it may.
    var hasOverrun: Bool { get set }

    /// False: the connection has lost its right to be served, and was told to go.
    func serves(_ exchange: ServerExchange) -> Bool
    /// A request was judged: the connection may have earned more than it had.
    func judged(on connection: ServerConnection)
    /// A fault has announced another number of streams, which stays.
    func keepStreamLimit()
}

/// What is decided about a push before it is answered.
struct Decision<Reason: ProviderReason> {
    var rejection: Reason?
    var timestampMilliseconds: Int64?
    var outcome: Outcome?
    /// Why, where a phone has the token.
    var reason: PhoneReason?
    var fault: Firing?
    /// No answer with a status goes out, not even later.
    var isUnanswered = false
    var delay = Interval.zero
}
