// Starts by push that name a channel in `input-push-channel` (docs/apns.md §10): the new activity listens to it.
//
// APNs tells nobody a token of such an activity, and the app need not have one. The mock makes it a token all the same:
// a key for its row, by which the journal and the admin side speak of it.

package import APNs
package import Basics
package import Pushes
import Synchronization

/// A delivered start that names a channel.
package struct ChannelStart: Sendable, Equatable {
    /// The push-to-start token's.
    let token: Hash128
    let activity: ActivityFacts
    let wanted: InputChannel

    /// Nil for every other push.
    package init?(_ facts: PushFacts) {
        guard let wanted = facts.activity?.inputChannel, let activity = facts.activity else { return nil }
        (token, self.activity, self.wanted) = (facts.tokenHash, activity, wanted)
    }

    /// Nil: what the push says is no channel's id.
    package var channel: ChannelID? { if case .channel(let id) = wanted { id } else { nil } }

    /// What came of it.
    package enum End: Sendable, Equatable {
        /// The activity's token, and what it did with the message that the channel held for it, if there was one.
        case listening(String, stored: Outcome?)
        /// The activity has started and hears no broadcast: its app has no such channel.
        case noSuchChannel
        /// Likewise: no further activity, or none that listens, can be kept.
        case full
    }
}

extension ChannelStore {
    /// Gives the activity of a delivered start its row, and lets it listen.
    package func listen(_ start: ChannelStart, devices: DeviceFleet, now: WallTime) -> ChannelStart.End {
        guard let id = start.channel, let starter = devices.record(of: start.token), serves(starter, id) else {
            return .noSuchChannel
        }
        let hasRoom = state.withLock { $0.subscriptions.count < settings.subscriptionLimit }
        guard hasRoom, let token = devices.startActivity(start, of: starter, now: now) else { return .full }
        do throws(SubscriptionError) {
            return .listening(token, stored: try subscribe(token, to: id, devices: devices, now: now))
        } catch {
            // Channel or room have gone in between.
            devices.remove(token: token)
            return error == .full ? .full : .noSuchChannel
        }
    }

    /// Whether a channel is of the token's app and environment, as far as they are known.
    private func serves(_ token: TokenRecord, _ id: ChannelID) -> Bool {
        guard let channel = record(of: id) else { return false }
        return token.topic ?? channel.bundle == channel.bundle
            && token.environment ?? channel.environment == channel.environment
    }
}

extension DeviceFleet {
    /// The row of an activity that a push has started: of the start token's app and environment, on its device where
    /// that has a name. Its token is drawn from the start token and the number of its starts. Nil when no further token
    /// can be kept.
    func startActivity(_ start: ChannelStart, of starter: TokenRecord, now: WallTime) -> String? {
        let now = time.at(now)
        return registrations.withLock { _ in
            let count = shard(start.token).state.withLock { state in
                state.table.find(start.token).map { UInt64(state.table[$0].shown) } ?? 0
            }
            var draw = Seed(start.token.high).child(start.token.low).child(count).generator()
            var token: String
            repeat { token = Self.makeToken(&draw) } while record(of: token) != nil
            var made = starter
            (made.token, made.kind, made.state, made.since) = (token, .activity, .active, nil)
            (made.connection, made.replacedBy) = (nil, nil)
            let hash = Self.hash(token)
            guard hasRoom(for: hash), register(made, now: now) else { return nil }
            shard(hash).state.withLock { state in
                if let place = state.table.find(hash) { state.table[place].begin(start.activity, now: now) }
            }
            return token
        }
    }

    /// Of the size that was seen with activities: 80 bytes.
    private static func makeToken(_ draw: inout Generator) -> String {
        let bytes = (0..<80).map { _ in UInt8(truncatingIfNeeded: draw.next()) }
        return Hex.encode(bytes.span)
    }
}
