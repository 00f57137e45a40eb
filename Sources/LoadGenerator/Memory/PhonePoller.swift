// The road to a mock that runs elsewhere: its admin API is asked again and again for what happened on its phones
// (docs/openapi.yaml, `GET /v1/phones/events`), and it answers when there is something.

package import Basics
import EventLoop
import HTTP
package import Net
package import Pushes

/// Asks on a thread of its own, from `begin` to `end`.
package final class PhonePoller: PhoneEventSource {
    private let thread: LoopThread<Asking>

    /// `bearer` is the admin API's token, which it demands off loopback. Throws a run `Failure` when no thread can be
    /// started or the certificate authorities cannot be read.
    package init(admin: CheckedOrigin, bearer: String? = nil, caFile: String? = nil) throws(Failure) {
        do {
            thread = try LoopThread(name: "phones") { loop in
                try Asking(loop: loop, admin: admin, bearer: bearer, caFile: caFile)
            }
        } catch {
            throw error as? Failure ?? Failure(.run, "cannot start asking for phone events: \(error)")
        }
    }

    package func begin(_ receive: @escaping @Sendable (PhoneEvent) -> Void) { thread.post { $0.begin(receive) } }

    package func end() {
        thread.post { $0.end() }
        thread.stop()
    }
}

/// One question at a time. Confined to its loop.
private final class Asking {
    /// As long as the mock may hold a question that has no answer yet.
    private static let wait = Interval.seconds(5)
    /// Before a question that failed is asked again.
    private static let pause = Interval.milliseconds(200)
    private static let limit = 1_000

    private let loop: EventLoop
    private let pool: ClientPool
    private let bearer: String?
    private let request = OutgoingRequest()
    private var receive: ((PhoneEvent) -> Void)?
    private var after: UInt64 = 0

    init(loop: EventLoop, admin: CheckedOrigin, bearer: String?, caFile: String?) throws {
        self.loop = loop
        self.bearer = bearer
        var client = ClientConfiguration(version: .http1, tls: TLSClientSettings(caFile: caFile))
        client.resends = true
        client.maxBodyBytes = 4 << 20
        pool = try ClientPool(loop: loop, target: admin, configuration: client)
    }

    func begin(_ receive: @escaping (PhoneEvent) -> Void) {
        guard self.receive == nil else { return }
        self.receive = receive
        ask()
    }

    func end() {
        receive = nil
        pool.close()
    }

    private func ask() {
        guard receive != nil else { return }
        request.head.clear()
        request.head.append(":method", "GET")
        request.head.append(
            ":path", "/v1/phones/events?after=\(after)&wait=\(Int(Self.wait.seconds))s&limit=\(Self.limit)")
        if let bearer { request.head.append("authorization", "Bearer \(bearer)") }
        pool.send(request) { [weak self] outcome in self?.hear(outcome) }
    }

    private func hear(_ outcome: ClientOutcome) {
        guard receive != nil else { return }
        guard case .response(let response) = outcome, take(response) else {
            _ = loop.after(Self.pause) { [weak self] in self?.ask() }
            return
        }
        // Not within the completion: the request is the pool's until it has returned.
        loop.atEndOfTurn { [weak self] in self?.ask() }
    }

    /// False for an answer that is none.
    private func take(_ response: ClientResponse) -> Bool {
        // A mock that was started anew counts from 1 again.
        if response.status == 400, after > 0 {
            after = 0
            return false
        }
        guard response.status == 200, let page = try? JSONValue(parsing: response.body.bytes),
            let events = page["events"]?.array, let next = page["next"]?.int
        else { return false }
        for event in events.compactMap(PhoneEvent.init) { receive?(event) }
        after = UInt64(clamping: next)
        return true
    }
}

extension PhoneEvent {
    /// Nil for what is no event of the admin API's.
    init?(_ json: JSONValue) {
        guard let number = json["event"]?.int, number > 0, let kind = json["kind"]?.string.flatMap({ Kind(word: $0) }),
            let phone = json["phone"]?.string, let app = json["app"]?.string,
            let activity = json["activity"]?.int.flatMap({ UInt32(exactly: $0) })
        else { return nil }
        let at = json["at"]?.string.flatMap { WallTime(iso8601: $0) }
        self.init(
            number: UInt64(number), kind: kind, at: at ?? WallTime(nanoseconds: 0), phone: phone, app: app,
            activity: activity, token: json["token"]?.string,
            marker: json["marker"]?.string.flatMap { text in withBytes(of: text) { Marker.find(in: $0) } })
    }
}
