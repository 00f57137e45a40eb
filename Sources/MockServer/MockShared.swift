// What all threads of one mock share: values that never change after the start, and the few things that are safe to
// touch from any thread.

import APNs
import Basics
import Devices
import EventLoop
import Faults
import Journal
import Synchronization
import TLS

extension P256PublicKey: SignatureVerifier {}

final class MockShared: Sendable {
    let settings: APNsSettings
    let registration: MockOptions.Registration
    let keys = ProviderKeys()
    let devices: DeviceFleet
    let faults: FaultScript
    let clock: any TimeSource
    let seed: Seed
    let journalDirectory: String
    let state: StateDirectory
    let startedAt: WallTime
    /// One for each loop that serves pushes.
    let totals: [PublishedTotals]
    /// Raised at each commit of a journal; whoever waits for pushes watches it.
    let commits = Atomic<UInt64>(0)
    private let resetPoint: Mutex<JournalCursor?>
    private let firstFailure = Mutex<Failure?>(nil)
    private let onFailure: @Sendable (Failure) -> Void

    init(
        options: MockOptions, state: consuming StateDirectory, identity: MockIdentity,
        onFailure: @escaping @Sendable (Failure) -> Void
    ) throws(Failure) {
        var rules = options.rules
        rules.environment = options.environment
        rules.allowedTopics = options.topics.isEmpty ? nil : options.topics
        settings = rules
        registration = options.registration
        var deviceRules = options.deviceRules
        deviceRules.registration = options.registration == .any ? .any : .registered
        devices = DeviceFleet(settings: deviceRules)
        faults = FaultScript(seed: options.seed.child("faults"))
        clock = options.clock
        seed = options.seed.child("mock")
        if let directory = options.journalDirectory {
            journalDirectory = try StateDirectory.absolute(directory)
        } else {
            journalDirectory = state.path(of: "journal")
        }
        resetPoint = Mutex(try state.read(Self.resetFile).flatMap { JournalCursor(parsing: $0) })
        startedAt = options.clock.wall()
        totals = (0..<options.loops).map { _ in PublishedTotals() }
        self.state = state
        self.onFailure = onFailure
        keys.add(
            keyID: identity.keyID, teamID: identity.teamID, environment: nil, topics: nil,
            verifier: identity.providerKey)
    }

    private static let resetFile = "reset-point"

    /// Where `GET /v1/pushes` begins; nil: at the first entry of the journal.
    var pushesBegin: JournalCursor? { resetPoint.withLock { $0 } }

    /// Forgets tokens, activities and fault rules; the pushes that count begin after those answered so far. The journal
    /// itself keeps all.
    func reset() throws(Failure) {
        let cursor = try journalEnd()
        devices.reset()
        faults.removeAll()
        resetPoint.withLock { $0 = cursor }
        try state.write(Self.resetFile, cursor.text, secret: false)
    }

    /// The first thing of ours that broke; the mock answers no push any more.
    var failure: Failure? { firstFailure.withLock { $0 } }

    /// Keeps and tells the first failure. From any thread.
    func report(_ failure: Failure) {
        let isFirst = firstFailure.withLock { held in
            if held != nil { return false }
            held = failure
            return true
        }
        if isFirst { onFailure(failure) }
    }

    func statistics() -> MockStatistics {
        var statistics = MockStatistics()
        for loop in totals { loop.add(to: &statistics) }
        return statistics
    }
}
