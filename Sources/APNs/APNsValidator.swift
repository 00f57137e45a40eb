// The judge: one request in, a push or a rejection out. Pure but for what it remembers of the connection.

package import Basics
package import HTTP
import Pushes

/// Judges requests of `/3/device`. One per loop; confined to its thread.
package final class APNsValidator {
    private let context: CheckContext
    private let checks: [Check]
    private let steps: [DeviceStep]

    /// `seed` is for the `apns-id`s made here: give each loop a child of its own. `ledger` is shared by the loops of an
    /// environment. `checks` is another order of rows.
    package init(
        settings: APNsSettings, keys: ProviderKeys, directory: any TokenDirectory, ledger: TokenLedger = TokenLedger(),
        seed: Seed,
        checks: [Check] = Check.order
    ) {
        context = CheckContext(settings: settings, keys: keys, directory: directory, ledger: ledger, seed: seed)
        self.checks = checks
        steps = checks.map(\.step)
    }

    /// `head` has the pseudo-header fields of HTTP/2 and names in lower case. `now` decides on ages of provider tokens.
    package func validate(
        _ head: HeaderBlock, body: ByteBuffer, connection: ProviderConnection, now: WallTime
    ) -> APNsVerdict {
        connection.requests += 1
        var inspection = Inspection(head, context, now: now)
        guard let (index, reason) = context.firstObjection(in: steps, &inspection, head, body, connection) else {
            return APNsVerdict(facts: inspection.facts)
        }
        return APNsVerdict(
            facts: inspection.facts, rejection: reason, timestampMilliseconds: inspection.timestampMilliseconds,
            check: checks[index].name)
    }
}
