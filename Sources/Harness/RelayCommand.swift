// `pushrig relay`: a reference relay as a process of its own, until a signal ends it.

package import Basics
import Net
import OperatingSystem
import ReferenceRelay

package struct RelayCommand: Sendable {
    package var dialect = "opencode"
    package var listen = "127.0.0.1:8787"
    package var apns = ""
    /// Nil: the same as `apns`.
    package var apnsSandbox: String?
    package var caFile: String?
    package var keyFile = ""
    package var keyID = ""
    package var teamID = ""
    package var topic = ""
    package var storage = "relay.sqlite"
    package var throttle: Interval?
    /// Longest wait for one answer of APNs.
    package var timeout: Interval?
    package var lifetime: Interval?
    package var defects: [String] = []
    /// What the relay's published source does wrong, it does as well.
    package var isAsBuilt = false
    /// See `RelayOptions`.
    package var plantEvery: Int?
    package var collapsesAlerts = false
    package var connections: Int?
    /// `A` or `B`: see `ActivityVariant`.
    package var variant: String?
    package var answer: String?
    package var clock: String?
    /// Other processes have the same storage and the same port.
    package var isShared = false
    package var allowHosts: Set<String> = []
    /// Whom it calls back, as a URL, and the file of the key that it signs with.
    package var webhook: String?
    package var webhookKey: String?
    /// Where FCM is, as a URL, and the file of the service account that it is called as.
    package var fcm: String?
    package var serviceAccount: String?

    package init() {}

    package static var dialects: [String] { RelayDialect.allCases.map(\.rawValue) }
    package static var variants: [String] { ActivityVariant.allCases.map(\.rawValue) }
    package static var answerModes: [String] { AnswerMode.allCases.map(\.rawValue) }

    /// What the relay is to be. Throws where a value cannot be meant.
    func options() throws(Failure) -> RelayOptions {
        guard let spoken = RelayDialect(rawValue: dialect) else {
            throw Failure(
                .usage, "there is no dialect '\(dialect)'", hint: Suggestion.hint(for: dialect, among: Self.dialects))
        }
        for (flag, value) in [
            ("--apns", apns), ("--key", keyFile), ("--key-id", keyID), ("--team-id", teamID), ("--topic", topic),
        ] where value.isEmpty {
            throw Failure(.usage, "\(flag) is missing", hint: "`pushrig mock` prints what to give in its ready line")
        }
        let production = try Origin(parsing: apns)
        var options = RelayOptions(
            listen: try SocketAddress(parsing: listen), production: production,
            sandbox: try apnsSandbox.map { text throws(Failure) in try Origin(parsing: text) } ?? production,
            caFile: caFile, keyFile: keyFile, keyID: keyID, teamID: teamID, topic: topic, storage: storage)
        options.dialect = spoken
        if let throttle { options.throttle = throttle }
        if let timeout {
            options.pushTimeout = timeout
            options.alertPatience = min(options.alertPatience, timeout * 2)
        }
        if let lifetime { options.activityLifetime = lifetime }
        options.allowHosts = allowHosts
        if let connections { options.connections = connections }
        if let variant = variant.flatMap(ActivityVariant.init) { options.variant = variant }
        if let answer = answer.flatMap(AnswerMode.init) { options.answers = answer }
        options.isShared = isShared
        options.plantEvery = plantEvery
        options.collapsesAlerts = collapsesAlerts
        if let clock, clock.hasPrefix("http") {
            guard !isShared else {
                throw Failure(
                    .usage, "processes that share their storage cannot take part in a clock that stands",
                    hint: "drop --shared, or give --clock scale=…")
            }
            options.clockOwner = try Origin(parsing: clock)
        } else {
            options.clock = try clock.map { text throws(Failure) in try ClockSetting(parsing: text) }
        }
        if isAsBuilt {
            guard let traps = spoken.asBuilt else {
                let known = RelayDialect.allCases.filter { $0.asBuilt != nil }.map(\.rawValue).joined(separator: ", ")
                throw Failure(
                    .usage, "no source of a relay as built is known for '\(dialect)'", hint: "--as-built is for \(known)")
            }
            options.defects.formUnion(traps.flatMap(\.defects))
        }
        for name in defects {
            guard let defect = Defect(rawValue: name) else {
                throw Failure(
                    .usage, "there is no defect '\(name)'",
                    hint: Suggestion.hint(for: name, among: Defect.allCases.map(\.rawValue)))
            }
            options.defects.insert(defect)
        }
        options.webhook = try webhook.map { text throws(Failure) in try target(text) }
        options.fcm = try fcm.map { url throws(Failure) in try messaging(url) }
        return options
    }

    private func messaging(_ url: String) throws(Failure) -> FCMTarget {
        guard let serviceAccount else {
            throw Failure(.usage, "--service-account is missing", hint: "`pushrig mock --fcm` names its file in its ready line")
        }
        let text: String
        do { text = String(decoding: try FileSystem.read(serviceAccount, limit: 1 << 20), as: UTF8.self) } catch {
            throw Failure(
                .usage, "cannot read the service account \(serviceAccount): \(error.words)", hint: "name the JSON file of one")
        }
        return try FCMTarget(url: url, account: text, file: serviceAccount, allowHosts: allowHosts)
    }

    private func target(_ text: String) throws(Failure) -> WebhookTarget {
        guard let webhookKey else {
            throw Failure(.usage, "--webhook-key is missing", hint: "name the file of the key that webhooks are signed with")
        }
        let bytes: [UInt8]
        do { bytes = try FileSystem.start(of: webhookKey, count: 4_096) } catch {
            throw Failure(.usage, "cannot read the key \(webhookKey): \(error.words)", hint: "name a file that holds it")
        }
        let (origin, path) = try Origin.withPath(parsing: text)
        return WebhookTarget(
            origin: try TargetPolicy.check(origin, allowHosts: allowHosts), path: path,
            key: Array(bytes.prefix { $0 != 10 && $0 != 13 }))
    }

    /// Prints the ready line, serves, drains on SIGINT or SIGTERM. Throws when it cannot start.
    package func run(signals: Signals) throws(Failure) -> ExitCode {
        let told = try options()
        signals.attend()
        let relay = try RelayServer(options: told)
        let ready: JSONValue = [
            "ready": true, "listen": .string(relay.boundAddress.description), "dialect": .string(dialect),
            "defects": .array(told.defects.map(\.rawValue).sorted().map { .string($0) }),
        ]
        Console.out(ready.text + "\n")
        signals.wait()
        signals.endAtNext()
        relay.drainAndStop()
        return .passed
    }
}
