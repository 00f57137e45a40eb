// Which call a push speaks of that does not bear its marker.

import Basics
import Conformance
import Journal
import Metrics
import Planning
import Pushes
import Scenarios

extension Pass {
    /// A start that replaces an activity shows what was said last, though it may not say by which call: the last one of the
    /// phone's session, where the user has only one.
    func restartMarker(of entry: PushEntry) -> Marker? {
        guard context.circumstances.restart != nil, entry.event == .start, let plan,
            let calls = owners[observer.token(of: entry)].flatMap({ open[$0]?.account.calls }),
            calls.first?.session == calls.last?.session
        else { return nil }
        let last = calls.last { $0.wasTaken && $0.answeredAt <= entry.arrivedAt && !context.quietKinds.contains($0.kind) }
        return last.map { Marker(run: plan.run, session: $0.session, step: $0.step) }
    }

    /// Whether the call that a marker speaks of owes an end that bears it.
    func isEndOfItsOwn(_ marker: Marker) -> Bool {
        guard let plan, !context.unmarkedKinds.isEmpty else { return true }
        let place = EventNumber.place(session: marker.session, step: marker.step)
        let rows = open[plan.account(ofSession: marker.session)]?.account.rows ?? []
        return rows.contains { $0.place == place && $0.event == .end }
    }

    /// Of an activity's update or end that bears none, or what was said before it (`own`): the last call of its token's session
    /// whose push has no room for one. Of several sessions that have the token it is the one that the marker speaks of, else
    /// one whose call has had no push yet.
    func unmarkedMarker(of entry: PushEntry, _ event: ActivityEvent?, _ own: Marker?) -> Marker? {
        guard event == .update || event == .end, !context.unmarkedKinds.isEmpty, let plan else { return nil }
        let token = observer.token(of: entry)
        guard let account = owners[token].flatMap({ open[$0]?.account }) else { return nil }
        var sessions: [UInt32] = []
        for made in account.tokenCalls.reversed() where made.token == token {
            let session = UInt32(made.place >> 32)
            if !sessions.contains(session) { sessions.append(session) }
        }
        if let own, own.run == plan.run, sessions.contains(own.session) { sessions = [own.session] }
        let calls = sessions.compactMap { session in
            account.calls(of: session, through: .max).last { call in
                context.unmarkedKinds.contains(call.kind) && wasSent(call, by: entry.arrivedAt)
            }
        }
        let unmet = calls.count < 2 ? nil : calls.first { call in
            !account.pushes.contains { $0.isAccepted && $0.isMarked && $0.place == call.place && $0.token == token }
        }
        return (unmet ?? calls.first).map { Marker(run: plan.run, session: $0.session, step: $0.step) }
    }

    /// Of a push whose collapse ID says of which call it is: the last call of its user that was sent by then and declares
    /// that one.
    func toldMarker(of entry: PushEntry, _ event: ActivityEvent?) -> Marker? {
        guard !context.toldKinds.isEmpty, let plan, let id = entry.header("apns-collapse-id"),
            let account = owners[observer.token(of: entry)].flatMap({ open[$0]?.account })
        else { return nil }
        let form = PushForm(entry.provider, entry.pushType.flatMap { PushType(word: $0) } ?? .alert, event)
        let told = account.calls.filter { call in
            context.toldKinds.contains(call.kind) && wasSent(call, by: entry.arrivedAt)
                && content.collapseID(of: call, form) == id
        }
        return told.max { $0.plannedAt < $1.plannedAt }.map { Marker(run: plan.run, session: $0.session, step: $0.step) }
    }

    /// Of a push whose timestamp says of which call it is: a call of its token's session made in that second.
    func stampedMarker(of entry: PushEntry) -> Marker? {
        guard !context.stampedKinds.isEmpty, let plan, let stamp = entry.stamp else { return nil }
        let token = observer.token(of: entry)
        guard let held = owners[token].flatMap({ open[$0] }),
            let session = held.account.tokenCalls.last(where: { $0.token == token }).map({ UInt32($0.place >> 32) })
        else { return nil }
        let slack = context.circumstances.real(Tolerances.wire)
        let calls = held.account.calls.filter {
            $0.session == session && context.stampedKinds.contains($0.kind) && wasSent($0, by: entry.arrivedAt)
        }
        let made = calls.map { call in
            // It says when it was made for the last time, somewhere between these two.
            let last = call.state == .sent && call.attempts < 2 ? call.sentAt : entry.arrivedAt
            func second(_ instant: Instant) -> Int64 { (entry.arrivedWall - (entry.arrivedAt - instant)).seconds }
            let first = second(call.plannedAt - slack)
            return (place: call.place, seconds: first...max(first, second(last + slack)))
        }
        let hash = Int(truncatingIfNeeded: Hash128(hashing: entry.payload.span).low)
        let place = held.stamped.place(token, stamp: stamp, payload: hash, among: made)
        return calls.first { $0.place == place }.map { Marker(run: plan.run, session: session, step: $0.step) }
    }

    /// Of a reload: the call whose push it repeats, by its `apns-id`. Else the first of those that owe one to its token, and
    /// were sent by then, for which none has left yet; where one has for each, the last that had no 200, or the last.
    func reloadMarker(of entry: PushEntry) -> Marker? {
        guard !context.reloadKinds.isEmpty, let plan, let type = entry.pushType.flatMap({ PushType(word: $0) }),
            type.isReload
        else { return nil }
        let token = observer.token(of: entry)
        guard let account = owners[token].flatMap({ open[$0]?.account }) else { return nil }
        let owed = Set(account.rows.lazy.filter { $0.type == type && $0.token == token }.map(\.place))
        let told = account.pushes.filter { $0.type == type && $0.token == token && $0.isMarked }
        if entry.header("apns-id") != nil, let repeated = told.last(where: { $0.apnsID == entry.apnsID }) {
            return Marker(run: plan.run, session: repeated.session, step: repeated.step)
        }
        let calls = account.calls.filter { context.reloadKinds.contains($0.kind) && wasSent($0, by: entry.arrivedAt) }
            .sorted { $0.plannedAt < $1.plannedAt }
        let own = calls.filter { owed.contains($0.place) }
        let (met, paid) = (Set(told.map(\.place)), Set(told.filter(\.isAccepted).map(\.place)))
        let call =
            own.first { !met.contains($0.place) } ?? own.last { !paid.contains($0.place) } ?? own.last ?? calls.last
        return call.map { Marker(run: plan.run, session: $0.session, step: $0.step) }
    }

    /// What it caused may come before its own record.
    private func wasSent(_ call: SeenCall, by instant: Instant) -> Bool {
        switch call.state {
        case .planned: call.plannedAt <= instant
        case .sent: call.sentAt <= instant
        case .dropped, .withheld, .retired: false
        }
    }
}
