// What all threads of one mock share: values that never change after the start, and the few things that are safe to
// touch from any thread.

import APNs
import Basics
import Devices
import EventLoop
import FCM
import Faults
import Journal
import Net
import Pushes
import Synchronization
import TLS

final class MockShared: Sendable {
    let settings: APNsSettings
    let registration: MockOptions.Registration
    let keys = ProviderKeys()
    /// Further keys and certificates, kept in the state directory.
    let credentials: LiveCredentials
    /// By the raw value of the environment.
    private let ledgers = PushEnvironment.allCases.map { _ in TokenLedger() }
    let devices: DeviceFleet
    let channels: ChannelStore
    let faults: FaultScript
    /// What all loops go by: instants on record, faults, and the wall time's pace.
    let time: RunClock
    /// The wall time of rules and devices.
    let clock: AdjustableTime
    /// Why a clock that stands does not go on; who takes part in it, and how often it has gone on.
    let clockTrouble = Mutex<String?>(nil)
    let clockPatience: Interval
    let clockParticipants = Atomic<Int>(0)
    let clockSteps = Atomic<Int>(0)
    let late = LateOutcomes()
    let reasons = OutcomeReasons()
    let schemas = PhoneSchemas()
    let phoneNotes = PhoneNotes()
    let seed: Seed
    let journalDirectory: String
    let state: StateDirectory
    let startedAt: WallTime
    /// Those that are played, that of the first listener first.
    let environments: [PushEnvironment]
    let loops: Int
    /// One for each loop and environment: all loops of the first environment, then those of the second, then that of FCM.
    let totals: [PublishedTotals]
    /// Nil: no mock FCM beside.
    let fcm: FCMShared?
    /// Where the totals of its loops begin.
    let placeOfFCM: Int
    let refusedByAPNs = RefusalTotals()
    let refusedByChannels = RefusalTotals()
    let refusedByFCM = RefusalTotals()
    let refusedByAdmin = RefusalTotals()
    /// Raised at each commit of a journal; whoever waits for pushes watches it.
    let commits = Atomic<UInt64>(0)
    /// Connections of providers so far, of all loops, environments and of channel management.
    private let accepted = Atomic<UInt64>(0)
    private let resetPoint: Mutex<JournalCursor?>
    private let hasImpostor = Mutex(false)
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
        devices = DeviceFleet(settings: deviceRules, seed: options.seed)
        channels = ChannelStore(settings: options.channelRules, seed: options.seed.child("channels"))
        faults = FaultScript(seed: options.seed.child("faults"))
        time = options.runClock ?? RunClock(base: SystemTime())
        clock = AdjustableTime(base: options.clock ?? time, skew: options.clockSkew)
        clockPatience = options.clockPatience
        seed = options.seed.child("mock")
        if let directory = options.journalDirectory {
            journalDirectory = try StateDirectory.absolute(directory)
        } else {
            journalDirectory = state.path(of: "journal")
        }
        resetPoint = Mutex(try state.read(Self.resetFile).flatMap { JournalCursor(parsing: $0) })
        startedAt = clock.wall()
        environments = options.environments
        loops = options.loops
        placeOfFCM = options.loops * options.environments.count
        totals = (0..<placeOfFCM).map { _ in PublishedTotals(.apns) } + (options.fcm == nil ? [] : [PublishedTotals(.fcm)])
        fcm = try options.fcm.map { [devices, seed] _ throws(Failure) in
            try FCMShared(
                settings: options.fcmRules, identity: FCMIdentity(in: state, seed: options.seed),
                store: ServiceAccountStore(state: state.path), access: AccessTokens(in: state),
                takesUnknown: options.registration == .any, devices: devices, seed: seed.child("fcm-quotas"))
        }
        credentials = try LiveCredentials(CredentialStore(state: state), identity: identity, keys: keys)
        self.state = state
        self.onFailure = onFailure
    }

    /// Sets the wall time of rules and devices. Where it is set back, devices stay at the time they had.
    func set(wall: WallTime) {
        devices.time.clockIsSet(to: wall, from: clock.wall())
        clock.set(wall: wall)
    }

    /// The rules of one environment.
    func settings(for environment: PushEnvironment) -> APNsSettings {
        var settings = settings
        settings.environment = environment
        return settings
    }

    /// Where the environment's loops count provider tokens across connections.
    func ledger(for environment: PushEnvironment) -> TokenLedger { ledgers[Int(environment.rawValue)] }

    /// Numbers a provider's connection that is accepted now, from 1.
    func nextConnection() -> UInt64 { accepted.add(1, ordering: .relaxed).newValue }

    private static let resetFile = "reset-point"

    /// Where `GET /v1/pushes` begins; nil: at the first entry of the journal.
    var pushesBegin: JournalCursor? { resetPoint.withLock { $0 } }

    /// Forgets tokens, activities, channels and fault rules; the pushes that count begin after those answered so far. The
    /// journal itself keeps all.
    func reset() throws(Failure) {
        let cursor = try journalEnd()
        forget()
        resetPoint.withLock { $0 = cursor }
        try state.write(Self.resetFile, cursor.text, secret: false)
    }

    /// The part of `reset` that is in memory.
    func forget() {
        devices.reset()
        channels.reset()
        fcm?.reset()
        faults.removeAll()
        for ledger in ledgers { ledger.reset() }
    }

    /// A certificate that no client should trust: of an authority of its own, and for another name.
    func impostor() throws -> TLSServerSettings {
        let settings = TLSServerSettings(
            certificateFile: state.path(of: "impostor.pem"), keyFile: state.path(of: "impostor.key"),
            requestsClientCertificate: true)
        try hasImpostor.withLock { isMade in
            if isMade { return }
            let made = CertificateAuthority(commonName: "Nobody").issue(
                commonName: "wrong.example", dnsNames: ["wrong.example"], addresses: [])
            try state.write("impostor.pem", made.certificatePEM, secret: false)
            try state.write("impostor.key", made.keyPEM, secret: true)
            isMade = true
        }
        return settings
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
        statistics.refusals = [
            "apns": refusedByAPNs.byKind, "channels": refusedByChannels.byKind, "admin": refusedByAdmin.byKind,
        ]
        if fcm != nil { statistics.refusals["fcm"] = refusedByFCM.byKind }
        return statistics
    }
}
