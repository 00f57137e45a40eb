// How much may be sent (docs/fcm.md §4): to one device, and by a project.

package import Basics
package import FCM
import Synchronization

/// Counts in windows that begin with the first message in each. Whoever keeps a limit in every stretch of a window's length is
/// never refused; whoever does not may get through twice the limit where two windows meet.
struct RateMeter {
    static let minute: UInt32 = 60
    static let hour: UInt32 = 3_600

    /// Seconds since 1970.
    private var start: UInt32 = 0
    private var count: UInt32 = 0

    /// `limit` nil: there is always room.
    func hasRoom(_ limit: Int?, in length: UInt32, _ second: UInt32) -> Bool {
        guard let limit, isIn(length, second) else { return true }
        return Int(count) < limit
    }

    mutating func add(in length: UInt32, _ second: UInt32) {
        if !isIn(length, second) { (start, count) = (second, 0) }
        count = count == .max ? .max : count + 1
    }

    private func isIn(_ length: UInt32, _ second: UInt32) -> Bool {
        count > 0 && second >= start && second - start < length
    }
}

/// What projects have left of their minute and of their second. Safe to use from any thread.
package final class ProjectQuotas: Sendable {
    /// Beyond so many projects the others share one quota.
    static let projectLimit = 1_024

    private struct Bucket {
        var window: Int64 = .min
        var used = 0

        mutating func take(_ limit: Int, _ window: Int64) -> Bool {
            if window != self.window { (self.window, used) = (window, 0) }
            guard used < limit else { return false }
            used += 1
            return true
        }
    }

    private struct Project {
        var messages = Bucket()
        var subscriptions = Bucket()
    }

    private let projects = Mutex<[Hash128: Project]>([:])
    private let settings: FCMSettings
    private let seed: Seed
    private let time: DeviceTime

    /// `seed`: where in a minute each project's begins, for Google's are "not aligned to the clock".
    package init(settings: FCMSettings, seed: Seed, devices: DeviceFleet) {
        self.settings = settings
        self.seed = seed
        time = devices.time
    }

    /// Takes one message of the project's minute; false, and nothing taken, where it is used up.
    package func takeMessage(of project: Span<UInt8>, now: WallTime) -> Bool {
        guard let limit = settings.messagesPerMinuteAndProject else { return true }
        return take(project, now, limit, \.messages, .seconds(60))
    }

    /// Takes one subscription of the project's second.
    package func takeSubscription(of project: Span<UInt8>, now: WallTime) -> Bool {
        guard let limit = settings.topicSubscriptionsPerSecond else { return true }
        return take(project, now, limit, \.subscriptions, .seconds(1))
    }

    private func take(
        _ project: Span<UInt8>, _ now: WallTime, _ limit: Int, _ bucket: WritableKeyPath<Project, Bucket>, _ length: Interval
    ) -> Bool {
        let (hash, now) = (Hash128(hashing: project), time.at(now))
        return projects.withLock { projects in
            let isKept = projects[hash] != nil || projects.count < Self.projectLimit
            let key = isKept ? hash : Hash128(high: 0, low: 0)
            let phase = length * seed.child(key.low).unit
            let window = (now + phase).nanoseconds / length.nanoseconds
            return projects[key, default: Project()][keyPath: bucket].take(limit, window)
        }
    }

    package func reset() { projects.withLock { $0 = [:] } }
}
