// What a mock FCM knows of registrations: tokens and FIDs, whose project they are of, and whether they live (spec/fcm.md §5).

package import Basics
package import FCM
import Synchronization

/// One registration, as the admin API shows it.
package struct RegistrationRecord: Hashable, Sendable {
    package enum State: String, CaseIterable, Sendable { case active, unregistered }

    package var token: String
    package var project: String
    package var state: State
    /// Messages that were accepted for it.
    package var messages: UInt32

    package init(token: String, project: String, state: State, messages: UInt32 = 0) {
        self.token = token
        self.project = project
        self.state = state
        self.messages = messages
    }
}

/// Safe to use from any thread.
package final class RegistrationBook: Sendable {
    /// Beyond it unknown registrations are served and not remembered.
    package static let limit = 2_000_000

    private struct Row {
        var project: UInt32
        var messages: UInt32 = 0
        var isGone = false
    }

    private struct State {
        var rows: [Hash128: Row] = [:]
        /// Projects by number, in the order in which they were met.
        var projects: [[UInt8]] = []
        var numbers: [Hash128: UInt32] = [:]

        mutating func number(of project: Span<UInt8>) -> UInt32 {
            let hash = Hash128(hashing: project)
            if let known = numbers[hash] { return known }
            let number = UInt32(projects.count)
            numbers[hash] = number
            projects.append(project.array)
            return number
        }

        func isOf(_ project: Span<UInt8>, _ row: Row) -> Bool { numbers[Hash128(hashing: project)] == row.project }
    }

    private let state = Mutex(State())
    private let takesUnknown: Bool

    /// `takesUnknown`: every well-formed registration is served, and is of the project that sent to it first.
    package init(takesUnknown: Bool) { self.takesUnknown = takesUnknown }

    /// Counts a message that was accepted, and says the how manieth it is.
    package func note(_ hash: Hash128, project: Span<UInt8>) -> UInt32 {
        state.withLock { state in
            if let row = state.rows[hash] {
                state.rows[hash]!.messages = row.messages &+ 1
                return row.messages &+ 1
            }
            guard state.rows.count < Self.limit else { return 1 }
            state.rows[hash] = Row(project: state.number(of: project), messages: 1)
            return 1
        }
    }

    /// How many messages were accepted for it.
    package func count(of hash: Hash128) -> UInt32 { state.withLock { $0.rows[hash]?.messages ?? 0 } }

    package func set(_ record: RegistrationRecord) {
        state.withLock { state in
            let hash = withBytes(of: record.token) { Hash128(hashing: $0) }
            let project = withBytes(of: record.project) { state.number(of: $0) }
            state.rows[hash] = Row(
                project: project, messages: state.rows[hash]?.messages ?? 0, isGone: record.state == .unregistered)
        }
    }

    package func record(of token: String) -> RegistrationRecord? {
        state.withLock { state in
            guard let row = state.rows[withBytes(of: token) { Hash128(hashing: $0) }] else { return nil }
            return RegistrationRecord(
                token: token, project: String(decoding: state.projects[Int(row.project)], as: UTF8.self),
                state: row.isGone ? .unregistered : .active, messages: row.messages)
        }
    }

    @discardableResult
    package func remove(_ token: String) -> Bool {
        state.withLock { $0.rows.removeValue(forKey: withBytes(of: token) { Hash128(hashing: $0) }) != nil }
    }

    package func reset() { state.withLock { $0 = State() } }
}

extension RegistrationBook: RegistrationDirectory {
    package func standing(of registration: Span<UInt8>, hash: Hash128, project: Span<UInt8>) -> RegistrationStanding {
        state.withLock { state in
            guard let row = state.rows[hash] else { return takesUnknown ? .active : .unregistered }
            if row.isGone { return .unregistered }
            return state.isOf(project, row) ? .active : .ofOtherProject
        }
    }
}
