// The judge of channels and broadcasts: one request in, an operation or a rejection out.

package import Basics
package import HTTP
import Pushes

/// Judges requests of channel management and of `/4/broadcasts`. One per loop; confined to its thread.
package final class BroadcastValidator {
    private let context: CheckContext
    private let channels: any ChannelDirectory
    private let checks: [BroadcastCheck]
    /// The rows of `/3/device` that judge a credential, all of them: the same tokens are used (docs/apns.md §11).
    private let credentialSteps: [DeviceStep]
    private let scanner = JSONScanner(maxDepth: 16, maxNodes: 256)

    /// `seed` is for the `apns-request-id`s made here. `ledger` is shared with the judges of `/3/device`. `tokens` is not
    /// asked.
    package init(
        settings: APNsSettings, keys: ProviderKeys, tokens: any TokenDirectory, channels: any ChannelDirectory,
        ledger: TokenLedger, seed: Seed, checks: [BroadcastCheck] = BroadcastCheck.order
    ) {
        context = CheckContext(settings: settings, keys: keys, directory: tokens, ledger: ledger, seed: seed)
        self.channels = channels
        self.checks = checks
        let steps = Check.order.map(\.step)
        guard let first = steps.firstIndex(of: .credential), let last = steps.firstIndex(of: .binding) else {
            preconditionFailure("the checks of credentials stand together in the table of /3/device")
        }
        credentialSteps = Array(steps[first...last])
    }

    /// Whether a request that is none of `/3/device` is one for this judge.
    package static func isSending(_ path: Span<UInt8>) -> Bool { path.starts(with: "/4/broadcasts") }

    /// `head` has the pseudo-header fields of HTTP/2 and names in lower case.
    package func validate(
        _ head: HeaderBlock, body: ByteBuffer, at endpoint: BroadcastEndpoint, connection: ProviderConnection, now: WallTime
    ) -> BroadcastVerdict {
        // A request of the other endpoint was counted by the judge of /3/device, who saw it first.
        if endpoint == .management { connection.requests += 1 }
        var it = BroadcastInspection(endpoint, head, context, now: now)
        let found = checks.firstObjection { check in
            check.concerns(it.facts.operation) ? objection(check.step, &it, head, body, connection) : nil
        }
        it.facts.credentialCause = it.common.facts.credentialCause
        guard let (index, reason) = found else { return BroadcastVerdict(facts: it.facts) }
        return BroadcastVerdict(facts: it.facts, rejection: reason, check: checks[index].name)
    }

    private func objection(
        _ step: BroadcastStep, _ it: inout BroadcastInspection, _ head: HeaderBlock, _ body: ByteBuffer,
        _ connection: ProviderConnection
    ) -> BroadcastReason? {
        switch step {
        case .method: BroadcastChecks.method(it, head)
        case .path: BroadcastChecks.path(&it, head)
        case .credential:
            context.firstObjection(in: credentialSteps, &it.common, head, body, connection)
                .map { BroadcastReason($0.reason) }
        case .requestID: BroadcastChecks.requestID(it)
        case .bundle: BroadcastChecks.bundle(it, head)
        case .credentialTopic: BroadcastChecks.credentialTopic(&it, head, connection, context)
        case .feature: BroadcastChecks.feature(it, head, channels)
        case .channelPresence: BroadcastChecks.channelPresence(it)
        case .channelFormat: BroadcastChecks.channelFormat(&it, head)
        case .pushType: BroadcastChecks.pushType(it, head)
        case .expiration: BroadcastChecks.expiration(&it, head)
        case .priority: BroadcastChecks.priority(&it, head)
        case .channelKnown: BroadcastChecks.channelKnown(&it, head, context, channels)
        case .policyExpiration: BroadcastChecks.policyExpiration(it)
        case .bodyPresence: BroadcastBodyChecks.presence(body)
        case .bodySize: BroadcastBodyChecks.size(body)
        case .message: BroadcastBodyChecks.message(&it, body, context)
        case .configuration: BroadcastBodyChecks.configuration(&it, body, scanner)
        case .room: room(it, head)
        case .rate: rate(it)
        }
    }

    private func room(_ it: borrowing BroadcastInspection, _ head: HeaderBlock) -> BroadcastReason? {
        let bundle = head.value(at: it.common.fields.path).extracting(it.facts.bundle)
        return channels.hasRoom(for: bundle, in: context.settings.environment) ? nil : .cannotCreateChannelConfig
    }

    private func rate(_ it: borrowing BroadcastInspection) -> BroadcastReason? {
        guard let channel = it.facts.channel else { return nil }
        return channels.admitsBroadcast(to: channel, now: it.common.now) ? nil : .tooManyRequests
    }
}
