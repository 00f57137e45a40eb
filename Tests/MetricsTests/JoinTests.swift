// What becomes of an expectation and of a push: each class, and the border between it and its neighbour.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("An expectation is")
struct ExpectationClassTests {
    @Test("described by flags that have nothing in common")
    func flags() {
        let all: [Metrics.Expectation.Flags] = [.mayBeSuperseded, .isFinal, .isThrottled, .wasHeld, .waitsInVain]
        #expect(all.allSatisfy { $0.rawValue.nonzeroBitCount == 1 } && Set(all).count == all.count)
    }

    @Test("delivered when its push comes in time")
    func delivered() {
        #expect(Story.usual.classes == "delivered 1")
        let correlation = Story.usual.correlation()
        #expect(correlation.classes == ["progress": [.delivered: 1]])
        #expect(correlation.delivery.count == 1)
        #expect(correlation.delivery.value(at: 50) / 1_000_000 == 50)
        #expect(correlation.deliveryByKind["progress"] == correlation.delivery)
    }

    @Test("lost when nothing comes")
    func lost() { #expect(Story.usual.with { $0.account.pushes = [] }.classes == "lost 1") }

    @Test("late after its deadline, to which our own lateness is added", arguments: [
        (1500, 0, "delivered 1"), (1501, 0, "late 1"), (1530, 30, "delivered 1"), (1531, 30, "late 1"),
    ] as [(Int64, Int64, String)])
    func late(arrival: Int64, lateness: Int64, expected: String) {
        let story = Story.usual.with {
            $0.account.pushes[0].arrivedAt = instant(arrival)
            $0.account.calls[0].lateness = .milliseconds(lateness)
        }
        #expect(story.classes == expected)
        #expect(story.correlation().delivery.count == 1)
    }

    @Test("not delivered by another session, step or type", arguments: [
        (1, 1, PushType.alert, "lost 1, unexpected 1"), (1, 2, .liveactivity, "lost 1, unexpected 1"),
        (2, 1, .liveactivity, "lost 1, unexpected 1"),
    ] as [(UInt32, UInt32, PushType, String)])
    func another(session: UInt32, step: UInt32, type: PushType, expected: String) {
        let story = Story.usual.with {
            $0.account.pushes[0].session = session
            $0.account.pushes[0].step = step
            $0.account.pushes[0].type = type
        }
        #expect(story.classes == expected)
    }

    /// P3.
    @Test("not delivered at a token that it was not for, nor with another event or content")
    func delivery() {
        #expect(Story.usual.with { $0.account.pushes[0].token = .other }.classes == "lost 1, misdirected 1")
        #expect(Story.usual.with { $0.account.pushes[0].event = .end }.classes == "lost 1, altered 1")
        #expect(Story.usual.with { $0.account.pushes[0].alteration = 3 }.classes == "lost 1, altered 1")
        #expect(Story.usual.with { $0.account.pushes[0].undecodable = 0 }.classes == "lost 1, altered 1")
        #expect(Story.usual.with { $0.account.pushes[0].outcome = .undecodable }.classes == "lost 1, altered 1")
        #expect(Story.usual.with { $0.account.pushes[0].outcome = .unknownActivity }.classes == "lost 1")
        #expect(Story.usual.with { $0.account.pushes[0].outcome = .ignoredEnded }.classes == "lost 1")
        #expect(Story.usual.with { $0.account.pushes[0].outcome = .nothingShown }.classes == "lost 1")
        #expect(Story.usual.with { $0.account.pushes[0].outcome = nil }.classes == "delivered 1")
        #expect(Story.usual.with { $0.account.pushes[0].status = 503 }.classes == "lost 1")
    }

    @Test("not blamed for its event where we do not know what the relay knows of the session's tokens")
    func disturbed() {
        let story = Story.usual.with {
            $0.call(0, at: 500, status: 500)
            $0.registers(0)
            $0.account.pushes[0].event = .start
        }
        #expect(story.classes == "delivered 1")
        #expect(story.with { $0.account.calls[1].wasTaken = true }.classes == "lost 1, altered 1")
        #expect(story.with { $0.account.pushes[0].token = .other }.classes == "lost 1")
    }

    @Test("delivered at the token the phone had before or has since")
    func rotated() {
        let story = Story.usual.with {
            $0.registers(0)
            $0.registers(3, .rotated)
            $0.account.pushes[0].token = .rotated
        }
        #expect(story.classes == "delivered 1")
        #expect(story.with { $0.account.tokenCalls[1].lane.phone = 1 }.classes == "lost 1, misdirected 1")
    }

    // MARK: Superseded

    /// The first state was not accepted, the second, at 1400, was at `arrival`.
    private func overtaken(at arrival: Int64, flags: Metrics.Expectation.Flags = .mayBeSuperseded) -> Story {
        Story.usual.with {
            $0.account.pushes = []
            $0.account.rows[0].flags = flags
            $0.call(2, at: 1400)
            $0.expect(2, at: 1400)
            $0.push(2, at: arrival)
        }
    }

    /// P1.
    @Test("superseded when a newer one was accepted by the time it was due, and only then", arguments: [
        (1450, "delivered 1, superseded 1"), (1500, "delivered 1, superseded 1"), (1501, "delivered 1, lost 1"),
    ] as [(Int64, String)])
    func superseded(arrival: Int64, expected: String) { #expect(overtaken(at: arrival).classes == expected) }

    @Test("superseded only where the profile allows it, by the same session, phone and type")
    func supersededBy() {
        #expect(overtaken(at: 1450, flags: []).classes == "delivered 1, lost 1")
        #expect(overtaken(at: 1450).with { $0.account.rows[1].lane.phone = 1 }.classes == "delivered 1, lost 1")
        let otherSession = overtaken(at: 1450).with {
            $0.account.rows[1].session = 2
            $0.account.pushes[0].session = 2
        }
        #expect(otherSession.classes == "delivered 1, lost 1")
        let alert = overtaken(at: 1450).with {
            $0.account.rows[1].type = .alert
            $0.account.pushes[0].type = .alert
        }
        #expect(alert.classes == "delivered 1, lost 1")
        let older = overtaken(at: 1450).with {
            $0.account.rows[0].step = 3
            $0.account.calls[0].step = 3
        }
        #expect(older.classes == "delivered 1, lost 1")
        #expect(overtaken(at: 1450).with { $0.account.pushes[0].status = 503 }.classes == "lost 2")
    }

    @Test("superseded, too, where our fault refused it for now and a newer one took its place")
    func backedOff() {
        let story = overtaken(at: 1450, flags: []).with {
            $0.push(1, at: 1050, status: 503) { $0.faultRule = 1 }
            $0.circumstances.faults = [.init(rule: 1, label: "503", windows: [instant(1000)..<instant(1100)])]
        }
        #expect(story.classes == "delivered 1, superseded 1")
        #expect(story.with { $0.account.rows[0].flags = .isFinal }.classes != "delivered 1, superseded 1")
        #expect(story.with { $0.account.pushes[1].faultRule = 0 }.classes == "delivered 1, lost 1")
        #expect(story.with { $0.push(1, at: 1060, status: 503) }.classes == "delivered 1, lost 1")
        #expect(story.with { $0.account.pushes[1].status = 0 }.classes == "delivered 1, superseded 1")
        // Accepted, but too late for the relay to hear of it.
        let unheard = story.with {
            $0.account.pushes[1].status = 200
            $0.account.pushes[1].outcome = .ignoredFuture
            $0.undelivered = [2]
        }
        #expect(unheard.classes == "delivered 1, superseded 1")
        #expect(unheard.with { $0.undelivered = [] }.classes == "delivered 1, lost 1", "what the phone passed over was never told")
    }

    @Test("superseded where our fault refused it and a newer one took its place while there was time", arguments: [
        (4000, "superseded 1, late 1"), (6001, "superseded 1, late 1"),
    ] as [(Int64, String)])
    func replacedLate(arrival: Int64, expected: String) {
        let story = overtaken(at: arrival, flags: []).with { story in
            story.account.rows[0].deadline = .seconds(3)
            story.push(1, at: 1050, status: 429) { $0.faultRule = 1 }
            story.circumstances.faults = [.init(rule: 1, label: "429", windows: [instant(1000)..<instant(1100)])]
        }
        #expect(story.classes == expected)
        #expect(story.with { $0.account.pushes[1].faultRule = 0 }.classes == "late 1, lost 1", "the relay's own")
    }

    @Test("superseded where it waited behind an older one that our fault held up")
    func waitedBehind() {
        let story = Story().with { story in
            story.registers(0)
            for (step, milliseconds) in [(1, 1000), (2, 1100), (3, 1200)] as [(UInt32, Int64)] {
                story.call(step, at: milliseconds)
                story.expect(step, at: milliseconds)
            }
            story.push(1, at: 1050, status: 503) { $0.faultRule = 1 }
            story.push(3, at: 1450)
        }
        #expect(story.classes == "delivered 1, superseded 2")
        #expect(story.with { $0.account.pushes[0].faultRule = 0 }.classes == "delivered 1, lost 2", "the relay's own")
        let healed = { (at: Int64) in story.with { $0.push(1, at: at) }.classes }
        #expect(healed(1099) == "delivered 2, lost 1", "its call came when nothing was held any more")
        #expect(healed(1201) == "delivered 2, superseded 1")
        let other = story.with {
            $0.registers(0, .other, phone: 1)
            $0.account.pushes[0].token = .other
        }
        #expect(other.classes == "delivered 1, lost 2", "another phone's")
        // An alert goes first: what waits for it may be replaced, what came before it may not.
        let alert = story.with { story in
            story.registers(0, .other, phone: 0)
            story.account.pushes[0].token = .other
            story.account.pushes[0].type = .alert
            story.account.pushes[0].step = 2
            story.account.tokenCalls[story.account.tokenCalls.count - 1].lane.role = .device
        }
        #expect(alert.classes == "delivered 1, superseded 1, lost 1")
        #expect(story.with { $0.account.rows[1].flags = .isFinal }.correlation().count(.lost) == 1)
    }

    @Test("superseded by a newer one that our fault refused, which is then judged for both")
    func handedOn() {
        let story = overtaken(at: 4000).with {
            $0.push(2, at: 1450, status: 503) { $0.faultRule = 1 }
            $0.circumstances.faults = [.init(rule: 1, label: "503", windows: [instant(1400)..<instant(1500)])]
        }
        #expect(story.classes == "superseded 1, late 1")
        #expect(story.with { $0.account.pushes[1].faultRule = 0 }.classes == "late 1, lost 1")
        #expect(story.with { $0.account.pushes[1].arrivedAt = instant(1501) }.classes == "late 1, lost 1")
        #expect(story.with { $0.account.pushes[1].status = 403 }.classes == "superseded 1, late 1", "for good, too")
        #expect(story.with { $0.account.rows[0].flags = [] }.classes == "late 1, lost 1")
    }

    // MARK: Not the relay's

    @Test("unsent when its call, or its token's registration, never left us")
    func unsent() {
        let silent = Story.usual.with { $0.account.pushes = [] }
        #expect(silent.with { $0.account.calls[0].state = .dropped }.classes == "unsent 1")
        #expect(silent.with { $0.account.calls[0].state = .planned }.classes == "unsent 1")
        let registered = silent.with {
            $0.call(0, at: 500)
            $0.registers(0)
        }
        #expect(registered.classes == "lost 1")
        #expect(registered.with { $0.account.calls[1].state = .dropped }.classes == "unsent 1")
        // A registration that comes later matters to a state that waits for it.
        let later = silent.with {
            $0.call(4, at: 1200) { $0.state = .dropped }
            $0.registers(4)
        }
        #expect(later.classes == "lost 1")
        #expect(later.with { $0.account.rows[0].flags = .wasHeld }.classes == "unsent 1")
        // Without an own call, as in a plan that is cut, nothing is known.
        #expect(silent.with { $0.account.calls = [] }.classes == "lost 1")
    }

    @Test("unsent when it could not reach the relay, because we held it down")
    func unreachable() {
        let story = Story.usual.with {
            $0.account.pushes = []
            $0.account.calls[0].status = 0
            $0.account.rows[0].deadline = .milliseconds(1)
            $0.circumstances.outages = [.init(from: instant(1005), until: instant(1008))]
        }
        #expect(story.classes == "unsent 1")
        #expect(story.with { $0.circumstances.outages[0].from = instant(1006) }.classes == "unsent 1")
        #expect(story.with { $0.circumstances.outages = [.init(from: instant(900), until: instant(950))] }.classes == "lost 1")
        // It answered, so it had it, but perhaps not yet on its disk.
        #expect(story.with { $0.account.calls[0].status = 200 }.classes == "excused 1")
        // It said that it serves nobody any more, and we had told it to end; or it did so by itself.
        let refused = story.with { ($0.account.calls[0].status, $0.account.calls[0].wasTaken) = (503, false) }
        #expect(refused.classes == "unsent 1")
        #expect(refused.with { $0.circumstances.outages[0].from = instant(1011) }.classes == "lost 1")
        #expect(story.with { $0.account.calls[0].status = 499; $0.account.calls[0].wasTaken = false }.classes == "lost 1")
    }

    @Test("undecided when it is due after the end, and nothing says more")
    func undecided() {
        let story = Story.usual.with {
            $0.account.pushes = []
            $0.circumstances.end = instant(1499)
        }
        #expect(story.classes == "undecided 1")
        #expect(story.with { $0.circumstances.end = instant(1500) }.classes == "lost 1")
        #expect(story.with { $0.push(1) }.classes == "delivered 1")
    }

    @Test("undecided where its token was never told, or where a limit of ours leaves open what is owed")
    func open() {
        let story = Story.usual.with { $0.account.pushes = [] }
        #expect(story.classes == "lost 1")
        #expect(story.with { $0.account.rows[0].flags = .waitsInVain }.classes == "undecided 1")
        func held(_ token: TokenHash) -> Story {
            story.with { $0.account.undecided.states = [.init(place: $0.account.rows[0].place, token: token)] }
        }
        #expect(held(.activity).classes == "undecided 1" && held(.other).classes == "lost 1")
    }
}

@Suite("An account finds")
struct AccountTests {
    @Test("calls by place, and rows by place and type")
    func lookup() {
        var account = Story().account
        for step in [1, 3, 4] as [UInt32] {
            account.calls.append(SeenCall(session: 1, step: step, kind: 0, plannedAt: instant(0)))
        }
        let place = { (step: UInt32) in EventNumber.place(session: 1, step: step) }
        #expect([1, 3, 4].map { account.index(ofCall: place($0)) } == [0, 1, 2])
        #expect([0, 2, 5].allSatisfy { account.call(at: place($0)) == nil })
        #expect(account.call(at: place(3))?.step == 3)
        let story = Story().with {
            $0.expect(2, type: .alert, token: .device)
            $0.expect(1)
            $0.expect(2)
            $0.expect(2, token: .rotated, phone: 1)
        }
        let rows = story.joined.account
        #expect(rows.rows(at: place(1), .liveactivity) == 0..<1)
        #expect(rows.rows(at: place(2), .alert) == 1..<2)
        #expect(rows.rows(at: place(2), .liveactivity) == 2..<4)
        #expect(rows.rows(at: place(3), .liveactivity).isEmpty)
        #expect(rows.rows(at: place(1), .alert).isEmpty)
    }

    @Test("the attempts of each expectation, in order of arrival")
    func attempts() {
        let joined = Story.usual.with {
            $0.account.pushes = []
            $0.expect(2)
            $0.push(1, at: 1050, status: 503)
            $0.push(2, at: 1060)
            $0.push(1, at: 1070)
            $0.push(9, at: 1080)
        }.joined
        #expect(joined.attempts(of: 0).map(\.id) == [1, 3])
        #expect(joined.attempts(of: 1).map(\.id) == [2])
        #expect(joined.rowOfPush == [0, 1, 0, nil])
        // The retry comes behind a newer state that was accepted meanwhile.
        #expect(joined.fault == [nil, nil, .reordered, .unexpected])
    }
}
