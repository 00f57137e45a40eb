// Whether a newer state took the place of one that never came, and whether the relay had a reason to let it.

import Basics
import Pushes

extension JoinedAccount {
    /// Its clock stood when a newer state was told, which has then taken its place (latest wins), unless
    /// that is lost as well.
    func stoodAsNewerCame(_ index: Int, _ circumstances: Circumstances) -> Bool {
        let row = account.rows[index]
        guard row.type == .liveactivity, !row.isFinal, !deliveries[index].stops.isEmpty else { return false }
        let begun = row.event == .start ? beginnings.filter { isBegun(row, by: $0) }.map(\.place) : []
        let newer = newer(than: index).filter { deliveries[$0].outcome != .lost }
        return (newer.map { account.rows[$0].place } + begun).contains { place in
            guard let call = account.call(at: place), call.state == .sent, !Self.isMissing(place, account, circumstances) else {
                return false
            }
            return deliveries[index].stops.contains { $0.holds(call.sentAt) }
        } || newer.contains { cameAsItWaited(index, $0) }
    }

    /// Something was refused that it waited behind, nothing went to its card since, and the next that did was the newer one, by
    /// when it was due itself: whoever waits longer than others, within what its profile promises, sends what is newest then.
    private func cameAsItWaited(_ index: Int, _ newer: Int) -> Bool {
        guard let first = attempts(of: newer).first, first.arrivedAt <= deliveries[index].due else { return false }
        return deliveries[index].stops.contains { stop in
            guard stop.from <= first.arrivedAt, !stop.beginsAnew else { return false }
            let next = account.pushes.first { push in
                push.isLiveActivity && stop.from < push.arrivedAt && isOnItsWay(push, account.rows[index])
            }
            return next?.id == first.id
        }
    }

    /// A newer state of the same activity on the same phone was accepted by the time this one was due, or would have been
    /// but for a fault of ours: then it is judged by what becomes of that one.
    func isSuperseded(_ index: Int) -> Bool {
        let due = deliveries[index].due
        if let at = replacedAt(index), at <= due { return true }
        // What the newer one says the card shows already, or which of the newer ones came is not known.
        if newer(than: index).contains(where: { saysAgain($0) && account.rows[$0].plannedAt <= due }) { return true }
        if isFollowedUndecided(account.rows[index], by: due) { return true }
        return newer(than: index).contains { attempts(of: $0).contains { $0.metFault && $0.arrivedAt <= due } }
    }

    /// A newer state took its place that met a fault of ours, or of which the sender of this push need not know.
    func mayComeLate(_ index: Int, _ push: SeenPush, _ circumstances: Circumstances) -> Bool {
        let due = deliveries[index].due
        return newer(than: index).contains { newer in
            attempts(of: newer).contains { tried in
                tried.arrivedAt <= due
                    && (tried.metFault || tried.isAccepted && circumstances.mayBeForgotten(tried, by: push))
            }
        }
    }

    /// When a newer state of the same activity was first accepted on the same phone.
    func replacedAt(_ index: Int) -> Instant? {
        let begun = account.rows[index].event == .start ? beginnings.first { isBegun(account.rows[index], by: $0) } : nil
        let told = newer(than: index).compactMap { deliveries[$0].accepted.map { account.pushes[$0].arrivedAt } }.min()
        return [begun?.arrivedAt, told].compactMap { $0 }.min()
    }

    private func newer(than index: Int) -> some Sequence<Int> {
        let row = account.rows[index]
        return account.rows.indices.lazy.filter { [account] other in
            let newer = account.rows[other]
            guard newer.session == row.session, newer.place > row.place, newer.type == row.type else { return false }
            return newer.lane == row.lane || isOfStarted(newer, by: row)
        }
    }

    /// A state of the activity itself stands for its start, too: where there is an activity none is to be started (R0.15).
    private func isOfStarted(_ newer: Expectation, by row: Expectation) -> Bool {
        row.event == .start && newer.lane.role == .activity && newer.lane.phone == row.lane.phone
    }
}
