// What the mock keeps for one connection of a provider, besides what the rules keep.

import APNs
import Basics
import EventLoop
import HTTP2
import Net
import Pushes

/// Confined to the connection's loop.
final class ProviderPeer {
    let provider: ProviderConnection
    /// The one that was shown, good or bad.
    let shown: ShownCertificate?
    /// The certificate was bad, or has become so: nothing on this connection is answered any more.
    private var isRefused = false
    /// The first answer's `apns-id` enters the HPACK table, later ones are never indexed (spec/apns.md §0).
    var hasAnswered = false
    /// The same of `apns-request-id`.
    var hasAnsweredBroadcast = false
    /// One stream until the first valid provider token, 1,000 afterwards (spec/apns.md §2.1).
    var hasWideLimit = false
    /// A rejection has dropped the limit to one stream, until the next accepted push.
    var isDropped = false
    /// It is on record that the provider opened more streams than it knew it may.
    var hasOverrun = false
    /// What a fault is still to do to the connection.
    var plannedFault: LoopTimer?

    /// `address` with its port, as connections tell it.
    init(address: String, shown: ShownCertificate?) {
        self.shown = shown
        let host = address.lastIndex(of: ":").map { address[..<$0] } ?? address[...]
        provider = ProviderConnection(peer: String(host), certificate: shown?.certificate)
    }

    /// Gives the connection its peer. Whoever shows a client certificate may use all streams at once (spec/apns.md §2.1):
    /// the limit to announce, nil: as usual.
    static func greet(
        _ connection: ServerConnection, _ settings: APNsSettings, _ credentials: LiveCredentials
    ) -> UInt32? {
        let shown = settings.judgesCertificates ? connection.peerCertificate : nil
        let peer = ProviderPeer(address: connection.peer, shown: shown.map { ShownCertificate($0, credentials) })
        connection.context = peer
        guard shown != nil else { return nil }
        peer.hasWideLimit = true
        return PushPipeline.wideStreamLimit
    }

    /// What is wrong with the certificate that was shown; nil: nothing, or none was.
    func refusal(in environment: PushEnvironment, now: WallTime) -> Reason? {
        shown?.certificate.refusal(in: environment, now: now)
    }

    /// A bad certificate passes the handshake and reads the first SETTINGS; then it is told to go, and no stream of its
    /// above `lastStreamID` is answered (spec/apns.md §2.3).
    func refuse(_ connection: ServerConnection, _ reason: Reason, lastStreamID: Int32 = 0) {
        isRefused = true
        connection.goAway(
            code: HTTP2ErrorCode.noError, lastStreamID: lastStreamID,
            debug: rejectionBody(reason, timestampMilliseconds: nil))
        connection.close()
    }

    /// Whether a connection that has shown a certificate is served. One that was revoked since is told to go at its next
    /// request, which is not processed.
    func serves(_ exchange: ServerExchange) -> Bool {
        guard !isRefused, let shown else { return !isRefused }
        guard shown.isRevokedMeanwhile() else { return true }
        refuse(exchange.connection, .badCertificate, lastStreamID: max(0, exchange.streamID - 2))
        return false
    }

    /// Grants the wide limit once a valid provider token was seen.
    func widen(_ connection: ServerConnection) {
        guard !hasWideLimit, provider.hasAcceptedToken else { return }
        hasWideLimit = true
        connection.setMaxConcurrentStreams(PushPipeline.wideStreamLimit)
    }
}
