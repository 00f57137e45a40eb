// Faults and tokens: how a test makes Apple's side misbehave.

import Basics
import Devices
import Faults
import MockServer

extension MockServer {
    /// Puts a fault in force and returns its id, which its pushes carry in `Push.fault`. Of several that match a push,
    /// the first one added acts. Throws for a word that does not exist, with the nearest that does, and for a number or
    /// duration out of its range.
    @discardableResult
    public func fault(_ fault: Fault) throws(MockError) -> String {
        do throws(FaultRuleError) {
            return service.add(try FaultRule(json: fault.json), now: clock.now())
        } catch {
            throw MockError(error.description)
        }
    }

    /// Puts a fault in force that is written as a rule of the admin API and of scenarios, such as
    /// `{"action": {"raw": "bad-hpack"}, "match": {"nth": {"every": 10}}}`. Returns its id. Throws for what is no such
    /// rule, with the member that is wrong.
    @discardableResult
    public func fault(json text: String) throws(MockError) -> String {
        let json: JSONValue
        do { json = try JSONValue(parsing: text) } catch { throw MockError("the rule is no JSON: \(error)") }
        do throws(FaultRuleError) {
            return service.add(try FaultRule(json: json), now: clock.now())
        } catch {
            throw MockError(error.description)
        }
    }

    /// Removes a fault by its id. False: there is none of that id.
    @discardableResult
    public func removeFault(_ id: String) -> Bool { service.faults.remove(id: id) }

    /// Removes all faults.
    public func removeFaults() { service.faults.removeAll() }

    /// The number of times that a fault has acted; 0: never, or there is none of that id.
    public func timesFired(_ id: String) -> Int { service.faults.rules.first { $0.rule.id == id }?.fired ?? 0 }

    /// Makes a token known, or changes what is known of it. `token` is in hex digits. Pushes to a token that is not
    /// active are answered 410. `topic` is a bundle ID; nil: the first accepted push tells. `sinceMilliseconds` is the
    /// `timestamp` of that answer, in milliseconds since 1970; nil: now. Tokens with the same `device` live on one phone:
    /// they share its connection, its budgets and the one push that APNs keeps for an app while the phone is away; nil:
    /// the token has a phone of its own. `connection` nil: as it was, at first online. Throws for a token that is no even
    /// number of hex digits, at most 1024, for a device's name that is not 1 to 64 letters, digits, `-`, `_` and `.`, and
    /// after `stop()`.
    public func setToken(
        _ token: String, kind: TokenKind = .unknown, topic: String? = nil, state: TokenState = .active,
        sinceMilliseconds: Int? = nil, device: String? = nil, connection: Connection? = nil,
        hasFrequentUpdates: Bool = false
    ) throws(MockError) {
        try checkRunning()
        guard device.map(DeviceFleet.isDeviceName) ?? true else {
            throw MockError("'\(device ?? "")' is not a device's name", hint: "use 1 to 64 letters, digits, '-', '_', '.'")
        }
        var record = TokenRecord(token: token.lowercased())
        record.kind = kind.inside
        record.topic = topic
        record.state = state.inside
        if state != .active {
            record.since = sinceMilliseconds.map { WallTime(milliseconds: Int64($0)) } ?? service.clock.wall()
        }
        record.device = device
        record.connection = connection?.inside
        record.hasFrequentUpdates = hasFrequentUpdates
        guard service.set(record) else {
            throw MockError("'\(token)' is not a device token", hint: "give an even number of hex digits, at most 1024")
        }
    }

    /// Changes how the phone of a known token can be reached, and leaves all else as it is. A phone that is back gets
    /// what was stored for it. Throws for a token that is not known, and after `stop()`.
    public func setConnection(of token: String, _ connection: Connection) throws(MockError) {
        try checkRunning()
        guard var record = service.devices.record(of: token) else { throw Self.unknown(token) }
        record.connection = connection.inside
        _ = service.set(record)
    }

    /// Gives the app another token, as the system does: the old one is answered 410 Unregistered from now on, the new one
    /// stands for the same app, phone and activity. Throws for an old token that is not known, a new one that is none, and
    /// after `stop()`.
    public func replaceToken(_ old: String, by new: String) throws(MockError) {
        try checkRunning()
        guard service.devices.record(of: old) != nil else { throw Self.unknown(old) }
        guard service.devices.replace(token: old, by: new.lowercased(), now: service.clock.wall()) else {
            throw MockError("'\(new)' is not another device token", hint: "give an even number of hex digits, at most 1024")
        }
        service.channels.replace(old.lowercased(), by: new.lowercased())
        service.tellLate()
    }

    /// Moves the clock of checks and devices: provider tokens age, activities end, stored pushes expire. In the year 2262
    /// it stands still.
    public func advanceClock(by duration: Duration) {
        service.set(wall: service.clock.wall() + Interval(duration))
        service.tellLate()
    }

    private func checkRunning() throws(MockError) {
        if service.hasStopped { throw MockError("the mock has stopped", hint: "change its tokens before stop()") }
    }

    private static func unknown(_ token: String) -> MockError {
        MockError("the token \(token.prefix(8))… is not known", hint: "make it known with setToken, or push to it first")
    }

    /// The way in which a phone can be reached.
    public enum Connection: Hashable, Sendable {
        /// Reached at once.
        case online
        /// Away: pushes are stored, one for each app.
        case offline
        /// Low on power: pushes below priority 10 are stored.
        case restricted

        fileprivate var inside: Devices.Connection {
            switch self {
            case .online: .online
            case .offline: .offline
            case .restricted: .restricted
            }
        }
    }

    /// The kind of a token: what it addresses.
    public enum TokenKind: Hashable, Sendable {
        /// Anything: pushes of every type are taken.
        case unknown
        /// An app on a device: all types but `liveactivity`, `widgets` and `controls`.
        case device
        /// One Live Activity.
        case activity
        /// The start of Live Activities.
        case start
        /// All widgets of an app.
        case widget
        /// One control of an app.
        case control

        fileprivate var inside: Devices.TokenKind {
            switch self {
            case .unknown: .unknown
            case .device: .device
            case .activity: .activity
            case .start: .start
            case .widget: .widget
            case .control: .control
            }
        }
    }

    /// The state of a token: whether pushes to it are taken.
    public enum TokenState: Hashable, Sendable {
        /// Alive.
        case active
        /// Dead: pushes are answered 410 Unregistered.
        case unregistered
        /// Dead: pushes are answered 410 ExpiredToken.
        case expired

        fileprivate var inside: Devices.TokenState {
            switch self {
            case .active: .active
            case .unregistered: .unregistered
            case .expired: .expired
            }
        }
    }
}
