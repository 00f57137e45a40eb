// What a run is made of: a mock, the relay, and the load. Started in this order, stopped in the other.

import APNs
import Basics
import Devices
import EventLoop
import Glibc
import Journal
import LoadGenerator
import MockServer
import Net
import OperatingSystem
import Planning
import Pushes
import Scenarios
import Verdicts

/// Confined to the thread that runs the harness.
final class Rig {
    let mock: MockService
    let relay: RelaySupervisor
    private(set) var load: LoadService?
    /// Who listens to the relay; nil where nobody does.
    private var watch: WatchService?
    /// Who asks the relay's tables; nil where nobody does.
    private var state: StateWatch?
    /// The road by which what happens on the mock's phones reaches the sessions that react to it, and what users do reaches the
    /// phones; none where no session does either.
    private let phones: PhoneMailbox?
    /// Where access tokens are fetched, of those that the relay does not give itself.
    private let tokenTargets: [String: CheckedOrigin]
    private let plan: Plan
    private let scenario: Scenario
    private let directory: RunDirectory
    /// What all of it goes by.
    let clock: RunClock
    private let time = SystemTime()

    /// The mock listens when it returns, the relay is not started yet. Throws a usage `Failure` when the relay may not be
    /// called.
    init(
        plan: Plan, scenario: Scenario, directory: RunDirectory, options: RunOptions,
        place: MockPlace? = nil, clock: RunClock,
        note: @escaping (RunNote) -> Void
    ) throws(Failure) {
        self.plan = plan
        self.scenario = scenario
        self.directory = directory
        self.clock = clock
        DescriptorLimit.raise()
        let mock = try MockService(options: try Self.mockOptions(plan, directory: directory, place: place, clock: clock))
        self.mock = mock
        let hasDevices = plan.phoneCount > 0 || scenario.workload.androids != nil
        let isFollowed = (plan.hasReactions || plan.hasActs) && hasDevices
        phones = isFollowed ? PhoneMailbox { [weak mock] deed in mock.map { deed.carryOut(on: $0) } } : nil
        if WatchService.isWanted(plan) {
            do throws(Failure) {
                watch = try WatchService(plan: plan, journalDirectory: directory.journal, clock: clock)
            } catch {
                mock.drainAndStop()
                throw error
            }
        }
        do throws(Failure) {
            var targets: [String: CheckedOrigin] = [:]
            for url in plan.tokenURLs {
                targets[url] = try TargetPolicy.check(try Origin(parsing: url), allowHosts: options.allowHosts)
            }
            tokenTargets = targets
            let variable = try Self.variables(scenario, mock, directory, options, webhook: watch?.webhook)
            relay = try RelaySupervisor(
                scenario.relay, logPath: directory.relayLog, allowHosts: options.allowHosts,
                variable: variable, clock: clock, note: note)
            state = try scenario.relay.profile.state.map { spec throws(Failure) in
                try StateWatch(
                    spec, journalDirectory: directory.journal, clock: clock,
                    source: try Self.source(spec, plan, relay, options.allowHosts, variable))
            }
        } catch {
            mock.drainAndStop()
            throw error
        }
        if scenario.mock.tokens == .registered || plan.knowsHomes { registerTokens() }
        do throws(Failure) {
            try makePhones()
            try makeAndroids()
        } catch {
            mock.drainAndStop()
            throw error
        }
        if let phones { mock.devices.phones.feed.listen { phones.post($0) } }
    }

    /// The plan begins at that instant.
    func startLoad(at origin: Instant) throws(Failure) {
        let load = try LoadService(
            plan: plan, target: relay.target, connections: scenario.workload.connections,
            journalDirectory: directory.journal, loops: scenario.workload.loops, tls: relay.tls, tokenTargets: tokenTargets,
            clock: clock, phones: phones, webhook: watch?.webhook, secrets: watch?.secrets)
        self.load = load
        watch?.listen(at: origin, target: relay.target, tls: relay.tls)
        state?.start()
        load.start(at: origin)
    }

    /// How busy our threads are, to be compared with what they will be.
    func use() -> ThreadUse {
        let now = time.now()
        return ThreadUse(at: now, rested: rested(by: now))
    }

    /// How long each loop that carries the load or answers pushes has had nothing to do.
    func rested(by now: Instant) -> [Interval] { mock.rested(by: now) + (load?.rested(by: now) ?? []) }

    /// What of those who listen has failed.
    var watchFailure: Failure? { watch?.failure }

    /// Ends the load, then the relay, so that it may still push what it has, then the mock. Waits for each, bounded.
    func stop() {
        load?.stop()
        state?.lookAndStop()
        relay.stop(time) { usleep(UInt32(clamping: $0.nanoseconds / 1_000)) }
        watch?.stop()
        mock.drainAndStop()
    }

    /// What both sides have counted.
    func totals(firings: [Int]) -> TotalsNote {
        let (load, mock) = (self.load?.snapshot() ?? LoadSnapshot(), self.mock.statistics())
        var totals = TotalsNote()
        load.fill(&totals)
        totals.pushes = mock.pushes
        totals.silenced = mock.silenced
        totals.mockConnections = mock.connectionsOpened
        totals.connectionsEndedByFaults = mock.connectionsEndedByFaults
        totals.faultsFired = mock.faultsFired
        totals.tokens = self.mock.devices.tokenCount
        totals.journalBytes = mock.journalBytes
        totals.firings = firings
        return totals
    }

    // MARK: Making

    /// The mock knows no token that nobody registered, so it is told those of the plan's sessions; or it learns of each from
    /// its first push, and is told no more than where it lives.
    private func registerTokens() {
        let topic = scenario.relay.profile.topic
        let now = mock.clock.wall()
        plan.tokens { variable, token, home in
            if variable.role == .registrationToken {
                let record = RegistrationRecord(token: token, project: MockService.project, state: .active)
                mock.registrations?.set(record, now: now)
                return
            }
            guard scenario.mock.tokens == .registered else {
                mock.devices.set(TokenRecord(token: token, environment: home), now: now)
                return
            }
            let kind: TokenKind =
                switch variable.role {
                case .activityToken: .activity
                case .startToken: .start
                case .widgetToken: .widget
                case .controlToken, .otherControlToken: .control
                default: .device
                }
            mock.devices.set(TokenRecord(token: token, kind: kind, topic: topic, environment: home), now: now)
        }
    }

    /// The phones of the plan's users, each with the app that the profile names.
    private func makePhones() throws(Failure) {
        let most = PhoneSettings().phoneLimit
        guard plan.phoneCount <= most else {
            throw Failure(
                .usage, "the workload has \(Numbers.count(plan.phoneCount)) phones, and a mock keeps \(Numbers.count(most))",
                hint: "lower `maxSessions`, or let more sessions share a user")
        }
        let now = mock.clock.wall()
        let content = scenario.relay.profile.content
        // A state that their app cannot decode changes no card.
        let schema = content.decodesAnything ? mock.number(of: AppSchema(content)) ?? 0 : 0
        for phone in plan.phones {
            do throws(PhoneRefusal) { try mock.devices.phones.make(PhoneSetup(phone, schema: schema), now: now) } catch {
                throw Failure(.run, "the mock cannot make \(phone.name): \(error.words)")
            }
        }
    }

    private func makeAndroids() throws(Failure) {
        guard let spec = scenario.workload.androids else { return }
        let now = mock.clock.wall()
        for (registration, user) in plan.androids {
            mock.registrations?.set(
                RegistrationRecord(token: registration, project: MockService.project, state: .active), now: now)
            guard mock.set(spec.setup(ofUser: user), behind: registration) else {
                throw Failure(
                    .usage, "a mock keeps \(Numbers.count(AndroidSettings().deviceLimit)) Android devices",
                    hint: "lower `maxSessions`, or let more sessions share a user")
            }
        }
    }

    /// Makes the one that is asked which tokens the relay holds.
    private static func source(
        _ spec: StateSpec, _ plan: Plan, _ relay: RelaySupervisor, _ allowHosts: Set<String>, _ variable: (String) -> String?
    ) throws(Failure) -> @Sendable (EventLoop) throws -> any StateSource {
        switch spec.source {
        case .sqlite(let file):
            let path = LaunchTemplate.fill(file, variable)
            return { _ in SQLiteSource(file: path) }
        case .postgres(let url):
            let (address, hostAddress) = try PostgreSQLSource.place(of: url, allowHosts: allowHosts)
            return { _ in PostgreSQLSource(address, hostAddress: hostAddress) }
        case .http(let endpoint):
            return { [target = relay.target, tls = relay.tls] loop in
                EndpointSource(try StateQuestion(endpoint, plan, loop: loop, target: target, tls: tls))
            }
        }
    }

    static func mockOptions(
        _ plan: Plan, directory: RunDirectory, place: MockPlace?, clock: RunClock
    ) throws(Failure) -> MockOptions {
        let scenario = plan.scenario
        let mock = scenario.mock
        func address(_ text: String?) throws(Failure) -> SocketAddress {
            try SocketAddress(parsing: text ?? "127.0.0.1:0")
        }
        var options = MockOptions(stateDirectory: place?.directory ?? mock.state ?? directory.mockState)
        options.apns = try address(mock.apns)
        options.admin = try address(mock.admin)
        if mock.fcm != nil || scenario.relay.isToldOfFCM { options.fcm = try address(mock.fcm) }
        if scenario.relay.isTold("mock.channels") { options.channels = try address("127.0.0.1:0") }
        options.serverNames = mock.names
        options.loops = mock.loops
        options.registration = mock.tokens == .any ? .any : .registered
        switch mock.environment {
        case .production: options.environment = .production
        case .sandbox: options.environment = .sandbox
        case .both: options.sandbox = try address(mock.sandbox)
        }
        options.topics = mock.topics
        options.seed = plan.mockSeed
        options.journalDirectory = directory.journal
        for (name, value) in mock.settings { try options.set(name, to: value) }
        options.runClock = clock
        options.clockSkew = mock.clockSkew
        place?.take(&options)
        return options
    }

    static func variables(
        _ scenario: Scenario, _ mock: MockService, _ directory: RunDirectory, _ options: RunOptions, webhook: String?
    ) throws(Failure) -> (String) -> String? {
        let coordinates = mock.coordinates
        var listen = try SocketAddress(parsing: scenario.relay.listen)
        if listen.port == 0 { listen = try FreePort.on(listen) }
        let executable = options.executable ?? FileSystem.executable
        // As `pushrig relay --clock` takes it: this host's time, and what the mock's clock shows at that moment.
        let clock = scenario.isStepped
            ? mock.coordinates.admin.map { "http://\($0)" } ?? ""
            : "scale=\(scenario.clockScale),at=\(SystemTime().wall().milliseconds),shows=\(mock.clock.wall().milliseconds)"
        let scale = Numbers.trimmed(scenario.clockScale, places: 6)
        let certificate = try RunCertificate(scenario, mock)
        return { [listen] name in
            switch name {
            case "pushrig": executable
            case "mock.apns": coordinates.apns.description
            case "mock.sandbox": (coordinates.sandbox ?? coordinates.apns).description
            case "mock.sandboxHost": (coordinates.sandbox ?? coordinates.apns).host
            case "mock.sandboxPort": String((coordinates.sandbox ?? coordinates.apns).port)
            case "mock.apnsHost": coordinates.apns.host
            case "mock.apnsPort": String(coordinates.apns.port)
            case "mock.clock": clock
            case "mock.clockScale": scale
            case "mock.ca": coordinates.ca
            case "mock.key": coordinates.apnsKey
            case "mock.keyText": FileSystem.text(of: coordinates.apnsKey)
            case "mock.keyId": coordinates.keyID
            case "mock.teamId": coordinates.teamID
            case "mock.certificate": certificate?.file
            case "mock.certificateKey": certificate?.keyFile
            case "mock.p12": certificate?.pkcs12File
            case "mock.topic": scenario.mock.topics.first ?? scenario.relay.profile.topic
            case "mock.channels": coordinates.channels?.description
            case "mock.fcm": coordinates.fcm?.description
            case "mock.serviceAccount": coordinates.serviceAccount
            case "mock.tokenUri": coordinates.tokenURL
            case "mock.project": MockService.project
            case "relay.listen": listen.description
            case "relay.host": listen.host
            case "relay.port": String(listen.port)
            case "rig.webhook": webhook
            case "run.dir": directory.path
            default: nil
            }
        }
    }
}

extension ContentSpec {
    fileprivate var decodesAnything: Bool { contentState != nil || attributes != nil || attributesType != nil }
}

extension AppSchema {
    fileprivate init(_ content: ContentSpec) {
        self.init(attributesType: content.attributesType, attributes: content.attributes, contentState: content.contentState)
    }
}

extension PhoneSetup {
    fileprivate init(_ phone: PlannedPhone, schema: UInt16) {
        let usual = PhoneWake()
        var app = AppSetup(phone.app)
        app.schema = schema
        app.environment = phone.environment
        app.wake = PhoneWake(
            delay: phone.spec.wake ?? usual.delay, never: phone.spec.never ?? usual.never, rotate: phone.spec.rotate)
        self.init(phone.name, apps: [app])
        system = phone.spec.system ?? system
    }
}
