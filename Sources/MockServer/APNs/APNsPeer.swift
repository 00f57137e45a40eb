// What the mock APNs keeps for one connection of a provider, besides what the rules keep: how far it has come, and what it
// was told.

import APNs
import Basics
import EventLoop
import HTTP2
import Net
import Pushes

/// How far a connection has come (docs/apns.md §2.1, §2.3):
///
///     one ── a valid provider token, a client certificate, a fault's own number ──▶ wide ◀──▶ dropped
///      └──────────────── a bad certificate, or one revoked since ────────────────▶ refused ◀── all
enum APNsStanding: Sendable {
    /// One stream at once, until the first valid provider token.
    case one
    /// 1,000 streams, or what a fault has announced.
    case wide
    /// A rejection has dropped the limit to one stream, until the next accepted push.
    case dropped
    /// Nothing on this connection is answered any more.
    case refused

    enum Event: Sendable, CaseIterable { case trusted, rejected, accepted, refused }

    /// Nil: that changes nothing.
    func after(_ event: Event) -> APNsStanding? {
        switch (self, event) {
        case (.refused, _): nil
        case (_, .refused): .refused
        case (.one, .trusted): .wide
        case (.wide, .rejected): .dropped
        case (.dropped, .accepted): .wide
        case (.one, _), (.wide, _), (.dropped, _): nil
        }
    }
}

/// Confined to the connection's loop.
final class APNsPeer: ProviderPeer {
    /// Streams at once after the first valid provider token (docs/apns.md §2.1).
    static let wideStreamLimit: UInt32 = 1_000

    private(set) var standing = APNsStanding.one
    let provider: ProviderConnection
    /// The one that was shown, good or bad.
    let shown: ShownCertificate?
    /// The first answer's `apns-id` enters the HPACK table, later ones are never indexed (docs/apns.md §0).
    var hasAnswered = false
    /// The same of `apns-request-id`.
    var hasAnsweredBroadcast = false
    var hasOverrun = false
    var plannedFault: LoopTimer?

    /// `address` with its port, as connections tell it.
    init(address: String, shown: ShownCertificate?) {
        self.shown = shown
        let host = address.lastIndex(of: ":").map { address[..<$0] } ?? address[...]
        provider = ProviderConnection(peer: String(host), certificate: shown?.certificate)
    }

    /// Gives the connection its peer. Whoever shows a client certificate may use all streams at once (docs/apns.md §2.1):
    /// the limit to announce, nil: as usual.
    static func greet(
        _ connection: ServerConnection, _ settings: APNsSettings, _ credentials: LiveCredentials
    ) -> UInt32? {
        let shown = settings.judgesCertificates ? connection.peerCertificate : nil
        let peer = APNsPeer(address: connection.peer, shown: shown.map { ShownCertificate($0, credentials) })
        connection.context = peer
        guard shown != nil else { return nil }
        peer.take(.trusted)
        return wideStreamLimit
    }

    /// What is wrong with the certificate that was shown; nil: nothing, or none was.
    func refusal(in environment: PushEnvironment, now: WallTime) -> Reason? {
        shown?.certificate.refusal(in: environment, now: now)
    }

    /// A bad certificate passes the handshake and reads the first SETTINGS; then it is told to go, and no stream of its
    /// above `lastStreamID` is answered (docs/apns.md §2.3).
    func refuse(_ connection: ServerConnection, _ reason: Reason, lastStreamID: Int32 = 0) {
        take(.refused)
        connection.goAway(
            code: HTTP2ErrorCode.noError, lastStreamID: lastStreamID,
            debug: rejectionBody(reason, timestampMilliseconds: nil))
        connection.close()
    }

    /// Whether a connection that has shown a certificate is served. One that was revoked since is told to go at its next
    /// request, which is not processed.
    @inline(__always)
    func serves(_ exchange: ServerExchange) -> Bool {
        guard let shown else { return true }
        return isServed(exchange, shown)
    }

    private func isServed(_ exchange: ServerExchange, _ shown: ShownCertificate) -> Bool {
        guard standing != .refused else { return false }
        guard shown.isRevokedMeanwhile() else { return true }
        refuse(exchange.connection, .badCertificate, lastStreamID: max(0, exchange.streamID - 2))
        return false
    }

    /// Grants the wide limit once a valid provider token was seen.
    @inline(__always)
    func judged(on connection: ServerConnection) {
        guard standing == .one, provider.hasAcceptedToken else { return }
        take(.trusted)
        connection.setMaxConcurrentStreams(Self.wideStreamLimit)
    }

    func keepStreamLimit() { take(.trusted) }

    /// Where the setting says so: down to one stream with a rejection, and back with the next accepted push (docs/apns.md
    /// §2.1).
    func answered(_ connection: ServerConnection, isSuccess: Bool) {
        guard take(isSuccess ? .accepted : .rejected) else { return }
        connection.setMaxConcurrentStreams(isSuccess ? Self.wideStreamLimit : 1)
    }

    /// False: nothing has changed.
    @discardableResult
    private func take(_ event: APNsStanding.Event) -> Bool {
        guard let next = standing.after(event) else { return false }
        standing = next
        return true
    }
}
