// What a mock FCM knows of registrations: tokens and FIDs, whose project they are of, whether they live, and how much of their
// quotas is used (docs/fcm.md §4, §5).

package import Basics
package import FCM
import Synchronization

/// One registration, as the admin API shows it.
package struct RegistrationRecord: Hashable, Sendable {
    package enum State: String, CaseIterable, Sendable { case active, unregistered }
    package enum Platform: String, CaseIterable, Sendable { case android, ios, web }

    package var token: String
    package var project: String
    package var state: State
    package var platform: Platform
    /// Messages that were accepted for it.
    package var messages: UInt32
    /// Its last sign of life, in whole seconds.
    package var lastSeen = WallTime(nanoseconds: 0)

    package init(
        token: String, project: String, state: State, platform: Platform = .android, messages: UInt32 = 0
    ) {
        self.token = token
        self.project = project
        self.state = state
        self.platform = platform
        self.messages = messages
    }
}

/// Safe to use from any thread.
package final class RegistrationBook: Sendable {
    /// Beyond it unknown registrations are served and not remembered.
    package static let limit = 2_000_000
    /// Beyond so many projects the others are one, so that their registrations are of each of them. Only where no access token
    /// is asked for can a sender name more than its accounts have.
    package static let projectLimit = 65_536

    private struct State: ~Copyable {
        var rows = RegistrationTable()
        /// Projects by number, in the order in which they were met.
        var projects: [[UInt8]] = []
        var numbers: [Hash128: UInt32] = [:]

        mutating func number(of project: Span<UInt8>) -> UInt32 {
            let hash = Hash128(hashing: project)
            if let known = numbers[hash] { return known }
            guard projects.count < RegistrationBook.projectLimit - 1 else { return Self.ofTheRest }
            let number = UInt32(projects.count)
            numbers[hash] = number
            projects.append(project.array)
            return number
        }

        /// The place of a new row, of an active registration.
        mutating func add(_ hash: Hash128, project: Span<UInt8>, seenAt second: UInt32) -> Int {
            let place = rows.insert(hash)
            (rows[place].project, rows[place].seenAt) = (number(of: project), second)
            return place
        }

        private static let ofTheRest = UInt32(RegistrationBook.projectLimit - 1)

        /// A project that is not known is one of those that share a number.
        func isOf(_ project: Span<UInt8>, _ row: RegistrationRow) -> Bool {
            (numbers[Hash128(hashing: project)] ?? Self.ofTheRest) == row.project
        }

        /// Of the rest nobody knows which.
        func name(of project: UInt32) -> String {
            project < projects.count ? String(decoding: projects[Int(project)], as: UTF8.self) : ""
        }
    }

    private let state = Mutex(State())
    private let takesUnknown: Bool
    private let settings: FCMSettings
    private let androids: AndroidFleet
    private let time: DeviceTime

    /// `takesUnknown`: every well-formed registration is served, and is of the project that sent to it first. `devices`: whose
    /// Android devices stand behind registrations, and whose time this goes by.
    package init(takesUnknown: Bool, settings: FCMSettings = FCMSettings(), devices: DeviceFleet) {
        self.takesUnknown = takesUnknown
        self.settings = settings
        androids = devices.androids
        time = devices.time
    }

    private func second(_ now: WallTime) -> UInt32 { UInt32(clamping: time.at(now).seconds) }

    private func isGone(_ row: RegistrationRow, _ second: UInt32) -> Bool {
        if row.isGone { return true }
        guard row.platform == .android, let life = settings.registrationLife, second > row.seenAt else { return false }
        return Int64(second - row.seenAt) >= max(1, life.nanoseconds / 1_000_000_000)
    }

    // MARK: Messages

    /// Whether a device's quotas have room for one more message (docs/fcm.md §4). Only Android has any.
    package func hasRoom(_ hash: Hash128, now: WallTime) -> Bool {
        guard settings.messagesPerMinuteAndDevice != nil || settings.messagesPerHourAndDevice != nil else { return true }
        let second = second(now)
        return state.withLock { state in
            guard let place = state.rows.find(hash), state.rows[place].platform == .android else { return true }
            let row = state.rows[place]
            return row.minute.hasRoom(settings.messagesPerMinuteAndDevice, in: RateMeter.minute, second)
                && row.hour.hasRoom(settings.messagesPerHourAndDevice, in: RateMeter.hour, second)
        }
    }

    /// Counts a message that was accepted, and says the how manieth it is. `isSeen`: the device was there to take it, a sign of
    /// life; `isMetered`: it counts in the device's quotas.
    @discardableResult
    package func note(
        _ hash: Hash128, project: Span<UInt8>, now: WallTime, isSeen: Bool = true, isMetered: Bool = true
    ) -> UInt32 {
        let second = second(now)
        return state.withLock { state in
            let known = state.rows.find(hash)
            guard known != nil || state.rows.count < Self.limit else { return 1 }
            let place = known ?? state.add(hash, project: project, seenAt: second)
            state.rows[place].note(second, isSeen: isSeen, isMetered: isMetered)
            return state.rows[place].messages
        }
    }

    /// The number of the next message to it, from 1; messages that a fault refused are counted.
    package func next(to hash: Hash128) -> UInt32 {
        state.withLock { state in
            state.rows.find(hash).map { state.rows[$0].messages &+ UInt32(state.rows[$0].spoilt) &+ 1 } ?? 1
        }
    }

    /// Counts a message that would have been accepted, but for a fault.
    package func spoil(_ hash: Hash128, project: Span<UInt8>, now: WallTime) {
        let second = second(now)
        state.withLock { state in
            let known = state.rows.find(hash)
            guard known != nil || state.rows.count < Self.limit else { return }
            let place = known ?? state.add(hash, project: project, seenAt: second)
            if state.rows[place].spoilt < .max { state.rows[place].spoilt += 1 }
        }
    }

    // MARK: The admin side

    /// Makes it known, or another one. `isSeen`: that is a sign of life; a new one is always seen.
    package func set(_ record: RegistrationRecord, now: WallTime, isSeen: Bool = true) {
        let second = second(now)
        state.withLock { state in
            let hash = withBytes(of: record.token) { Hash128(hashing: $0) }
            withBytes(of: record.project) { project in
                let place = state.rows.find(hash) ?? state.add(hash, project: project, seenAt: second)
                state.rows[place].project = state.number(of: project)
                state.rows[place].platform = record.platform
                state.rows[place].isGone = record.state == .unregistered
                if isSeen { state.rows[place].seenAt = second }
            }
        }
    }

    package func record(of token: String, now: WallTime) -> RegistrationRecord? {
        let second = second(now)
        return state.withLock { state in
            guard let place = state.rows.find(withBytes(of: token) { Hash128(hashing: $0) }) else { return nil }
            let row = state.rows[place]
            var record = RegistrationRecord(
                token: token, project: state.name(of: row.project),
                state: isGone(row, second) ? .unregistered : .active, platform: row.platform, messages: row.messages)
            record.lastSeen = WallTime(seconds: Int64(row.seenAt))
            return record
        }
    }

    @discardableResult
    package func remove(_ token: String) -> Bool {
        state.withLock { state in
            guard let place = state.rows.find(withBytes(of: token) { Hash128(hashing: $0) }) else { return false }
            state.rows.remove(at: place)
            return true
        }
    }

    package func reset() { state.withLock { $0 = State() } }
}

extension RegistrationBook: RegistrationDirectory {
    package func standing(
        of registration: Span<UInt8>, hash: Hash128, project: Span<UInt8>, now: WallTime
    ) -> RegistrationStanding {
        let second = second(now)
        return state.withLock { state in
            guard let place = state.rows.find(hash) else { return takesUnknown ? .active : .unregistered }
            let row = state.rows[place]
            if isGone(row, second) { return .unregistered }
            return state.isOf(project, row) ? .active : .ofOtherProject
        }
    }

    /// Whether a message of the project reaches it, by its hash alone.
    package func isActive(_ hash: Hash128, project: Span<UInt8>, now: WallTime) -> Bool {
        if case .active = standing(of: project, hash: hash, project: project, now: now) { true } else { false }
    }

    package func isApp(_ name: Span<UInt8>, of hash: Hash128) -> Bool { androids.isApp(name, of: hash) }

    package func isAndroid(_ hash: Hash128) -> Bool {
        state.withLock { state in state.rows.find(hash).map { state.rows[$0].platform == .android } ?? true }
    }
}
