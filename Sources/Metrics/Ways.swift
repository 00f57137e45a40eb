// The ways that an account's pushes go, each kept in order of arrival, and what of ours held up which of them: so that who
// asks what stood in a row's way need not read all pushes for each row.

import Basics
import Pushes

/// Made once, and of nothing where no fault of ours met a push.
struct Ways: Sendable {
    /// A push that a fault of ours refused for now, or kept from its answer.
    struct Held: Sendable {
        /// Index of the push.
        var push: Int
        /// Until when its relay need not send it again, nor what waits behind it.
        var until: Instant
    }

    private let pushes: [SeenPush]
    /// Indices of pushes, in order of arrival.
    private var byToken: [TokenHash: [Int]] = [:]
    private var byWay: [Way: [Int]] = [:]
    /// What was held, in order of arrival, by its token and by its session.
    private var heldByToken: [TokenHash: [Held]] = [:]
    private var heldBySession: [UInt32: [Held]] = [:]
    /// By the push's id: until when its relay need not send it again.
    private var waits: [UInt64: Instant] = [:]

    init(_ account: Account, _ lanes: [TokenHash: Lane], _ circumstances: Circumstances) {
        guard account.pushes.contains(where: \.metFault) else {
            pushes = []
            return
        }
        pushes = account.pushes
        var rows = RefusalRows()
        var ends = circumstances.outages[...]
        for (index, push) in pushes.enumerated() {
            // A new process knows nothing of what was refused before.
            while let end = ends.first, end.from <= push.arrivedAt {
                ends.removeFirst()
                rows = RefusalRows()
            }
            let lane = lanes[push.token]
            let before = rows.see(push, lane)
            byToken[push.token, default: []].append(index)
            if let lane { byWay[Way(lane, of: push), default: []].append(index) }
            guard push.metFault, let until = circumstances.wait(behind: push, before) else { continue }
            waits[push.id] = until
            heldByToken[push.token, default: []].append(Held(push: index, until: until))
            if push.isMarked { heldBySession[push.session, default: []].append(Held(push: index, until: until)) }
        }
    }

    var isEmpty: Bool { waits.isEmpty }

    /// Until when the relay need not send it again; nil: nothing of ours kept it back.
    func wait(behind push: SeenPush) -> Instant? { waits[push.id] }

    /// The first push behind that instant which goes where the row goes: to its token, or to another of the same card or
    /// device.
    func next(_ row: Expectation, behind instant: Instant) -> SeenPush? {
        var found: Int?
        func look(_ way: [Int]?) {
            guard let way else { return }
            let place = Account.firstIndex(in: way.count) { pushes[way[$0]].arrivedAt > instant }
            if place < way.count { found = min(found ?? .max, way[place]) }
        }
        look(byToken[row.token])
        look(byWay[Way(row.lane, session: nil)])
        if row.lane.role == .activity { look(byWay[Way(row.lane, session: row.session)]) }
        return found.map { pushes[$0] }
    }

    /// The first push to that token behind that instant for which it holds.
    func first(to token: TokenHash, behind instant: Instant, where isMeant: (SeenPush) -> Bool) -> SeenPush? {
        guard let way = byToken[token] else { return nil }
        let start = Account.firstIndex(in: way.count) { pushes[way[$0]].arrivedAt > instant }
        return way[start...].lazy.map { pushes[$0] }.first(where: isMeant)
    }

    /// What was held of those tokens and of that session and may stand in the way of what is told from `first` to `last`.
    func held(at tokens: Set<TokenHash>, of session: UInt32, from first: Instant, to last: Instant) -> [Held] {
        var found: [Int: Held] = [:]
        for way in tokens.map({ heldByToken[$0] }) + [heldBySession[session]] {
            guard let way else { continue }
            let end = Account.firstIndex(in: way.count) { pushes[way[$0].push].arrivedAt > last }
            for held in way[..<end] where held.until > first { found[held.push] = held }
        }
        return found.values.sorted { $0.push < $1.push }
    }
}
