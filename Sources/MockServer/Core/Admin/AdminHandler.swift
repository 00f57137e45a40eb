// The admin API's front door: who may come in, which route is meant, and the answer or the error.

import Basics
import Devices
import EventLoop
import Faults
import HTTP
import Journal
import Net
import Synchronization

/// Confined to the admin loop.
final class AdminHandler: ServerHandler {
    static let maxBodyBytes = 1 << 20

    let loop: EventLoop
    let shared: MockShared
    let coordinates: MockCoordinates
    let pushes: PushFinder
    let phoneEvents: PhoneEventFinder
    let events: EventStreams
    let keeper: ClockKeeper
    private let journal: TurnJournal
    /// Where load generators of one run wait for each other.
    var barriers = Barriers()

    init(loop: EventLoop, shared: MockShared, coordinates: MockCoordinates) throws(Failure) {
        self.loop = loop
        self.shared = shared
        self.coordinates = coordinates
        journal = try TurnJournal(loop: loop, shared: shared, name: "admin")
        pushes = try PushFinder(loop: loop, shared: shared)
        phoneEvents = PhoneEventFinder(loop: loop, feed: shared.devices.phones.feed)
        events = try EventStreams(loop: loop, shared: shared)
        keeper = ClockKeeper(loop: loop, shared: shared)
        events.clock = { [unowned self] in clock().body }
    }

    func handle(_ exchange: ServerExchange) {
        do throws(AdminError) {
            let request = try AdminRequest(exchange, maxBodyBytes: Self.maxBodyBytes)
            guard let route = AdminRoute(request.segments) else {
                throw AdminError(
                    404, "not-found", "there is no such path", hint: "see docs/openapi.yaml for those there are")
            }
            try admit(exchange, route)
            guard route.methods.contains(request.method) else {
                let methods = route.methods.joined(separator: ", ")
                throw AdminError(
                    405, "method-not-allowed", "\(request.method) is not for this path", hint: "use " + methods,
                    allow: methods)
            }
            if request.method != "GET", request.method != "HEAD", let failure = journal.failure {
                throw AdminError(
                    503, "not-recorded", "nothing is changed any more: \(failure.message)", hint: failure.hint)
            }
            let answer = try answer(request, route, exchange)
            try record()
            answer?.send(to: exchange)
        } catch {
            error.send(to: exchange)
        }
    }

    /// The wall time by which the journal is kept, whatever the mock's clock was set to.
    var journalWall: WallTime { journal.writer.wall(at: shared.time.now()) }
    var journalIdentity: String { journal.writer.identity }

    func abandoned(_ exchange: ServerExchange) {
        pushes.abandon(exchange)
        phoneEvents.abandon(exchange)
        events.abandon(exchange)
        keeper.abandon(exchange)
    }

    func disconnected(_ connection: ServerConnection) { keeper.disconnected(connection) }

    func refused(_ refusal: Refusal, times: Int) { shared.refusedByAdmin.add(refusal, times: times) }

    /// What else stands in the journal by now, such as what became of stored pushes.
    func willSend() -> Bool {
        _ = commit()
        return true
    }

    /// What was done through the API is on record before it is answered.
    private func record() throws(AdminError) {
        guard let failure = commit() else { return }
        throw AdminError(
            503, "not-recorded", "it was done, but it is not on record: \(failure.message)",
            hint: failure.hint ?? "make room, and start the mock anew")
    }

    /// What went wrong; nil also where there was nothing to do.
    private func commit() -> Failure? {
        guard journal.isDirty, !journal.commitTurn() else { return nil }
        return journal.failure
    }

    /// Nil: the answer comes later.
    private func answer(
        _ request: AdminRequest, _ route: AdminRoute, _ exchange: ServerExchange
    ) throws(AdminError) -> AdminAnswer? {
        let isRead = request.method == "GET" || request.method == "HEAD"
        switch route {
        case .dashboard: return .livePage
        case .metrics:
            return AdminAnswer(text: metricsText(shared), contentType: ExpositionText.contentType)
        case .health: return health()
        case .info: return AdminAnswer(info())
        case .faults:
            if isRead { return listFaults() }
            return request.method == "POST" ? try addFault(request) : removeFaults()
        case .fault(let id): return isRead ? try fault(id) : try removeFault(id)
        case .pushes:
            try pushes.find(request, exchange)
            return nil
        case .events: return try events.open(request, exchange)
        case .token(let token):
            let token = try hexToken(token)
            switch request.method {
            case "PUT": return try putToken(token, request)
            case "PATCH": return try patchToken(token, request)
            case "DELETE": return try removeToken(token)
            default: return try self.token(token)
            }
        case .registration(let token):
            switch request.method {
            case "PUT": return try putRegistration(token, request)
            case "PATCH": return try patchRegistration(token, request)
            case "DELETE": return try removeRegistration(token)
            default: return try registration(token)
            }
        case .activities: return try activities(request)
        case .activity(let token): return try activity(try hexToken(token))
        case .subscription(let token):
            let token = try hexToken(token)
            switch request.method {
            case "PUT": return try subscribe(token, request)
            case "DELETE": return try unsubscribe(token)
            default: return try subscription(token)
            }
        case .channels: return try channels(request)
        case .app(let bundle): return isRead ? try app(bundle) : try putApp(bundle, request)
        case .keys: return isRead ? listKeys() : try addKey(request)
        case .key(let id): return try removeKey(id)
        case .phones: return try phones(request)
        case .phoneEvents:
            try findPhoneEvents(request, exchange)
            return nil
        case .phone(let id):
            switch request.method {
            case "PUT": return try putPhone(id, request)
            case "PATCH": return try patchPhone(id, request)
            case "DELETE": return try removePhone(id)
            default: return try phone(id)
            }
        case .clock: return isRead ? clock() : try putClock(request, exchange)
        case .journalClock: return journalClock()
        case .barrier(let run, let count): return try comeToBarrier(run, count, request)
        case .participants: return try joinClock(request)
        case .participant(let id):
            if request.method == "DELETE" { return try leaveClock(id) }
            try stateClock(id, request, exchange)
            return nil
        case .reset: return try reset()
        }
    }

    /// Keeps out strangers, and web pages of other origins: a page must not steer a mock on its reader's machine.
    private func admit(_ exchange: ServerExchange, _ route: AdminRoute) throws(AdminError) {
        let head = exchange.head
        let isLocal = coordinates.adminToken == nil
        if let strange = StrangePage(head, isDocument: route == .dashboard, isLocal: isLocal) {
            let hint =
                strange.code == "foreign-host"
                ? "use \(coordinates.adminURL ?? "its address")" : "open the dashboard of this mock"
            throw AdminError(403, strange.code, strange.message, hint: hint)
        }
        guard let expected = coordinates.adminToken else { return }
        guard !route.isOpen else { return }
        let given = head.text("authorization") ?? ""
        guard given.prefix(7).lowercased() == "bearer ", Self.equal(given.dropFirst(7), expected) else {
            throw AdminError(
                401, "unauthorized", "off loopback this API wants its bearer token",
                hint: "send authorization: Bearer with the adminToken of the ready line (also in mock.json)")
        }
    }

    /// Takes the same time wherever the texts differ.
    private static func equal(_ given: Substring, _ expected: String) -> Bool {
        let (given, expected) = (Array(given.utf8), Array(expected.utf8))
        guard given.count == expected.count else { return false }
        var difference: UInt8 = 0
        for index in given.indices { difference |= given[index] ^ expected[index] }
        return difference == 0
    }

    /// Puts on record what has become of stored pushes by now.
    func tellLate() {
        let now = shared.clock.wall()
        let broadcasts = shared.channels.catchUp(
            BroadcastPipeline.activitiesPerTurn, devices: shared.devices, now: now)
        journal.writer.append(late: broadcasts, at: loop.noted)
        if !broadcasts.isEmpty { journal.markDirty() }
        for late in shared.devices.lateOutcomes(now: now) {
            shared.tell(late, to: journal.writer, at: loop.noted)
            journal.markDirty()
        }
        if shared.phoneNotes.tell(shared.devices.phones.feed, to: journal.writer, at: loop.noted) { journal.markDirty() }
    }

    /// Puts an act on record.
    func note(_ act: String, _ facts: JSONObject = JSONObject()) {
        var object: JSONObject = ["act": .string(act)]
        for (key, value) in facts { object[key] = value }
        journal.writer.append(note: .admin, text: JSONValue.object(object).text, at: loop.noted)
        journal.markDirty()
    }

    /// Puts a rule's definition on record.
    func note(rule id: String) {
        guard let status = shared.faults.status(of: id) else { return }
        journal.writer.append(rule: status)
        journal.markDirty()
    }
}
