// What notes and answers tell of a run: late answers, deaths, restarts, wrong answers, our own lateness.

import Basics
import Conformance
import Glibc
import Journal
import Metrics
import Planning
import Pushes
import Scenarios
import Testing

@testable import Verdicts

private func at(_ seconds: Double) -> Instant { SyntheticRun.origin + .seconds(seconds) }

private func fault(_ text: String) -> String {
    smallScenario + "\nfaults: [\(text)]"
}

@Suite("What notes tell")
struct NoteTests {
    @Test("an answer that never reached the relay makes its retry no duplicate")
    func undelivered() throws {
        func record(_ isUndelivered: Bool) throws -> RunRecord {
            try judge(smallScenario, spoil: { sendings, _ in
                guard let index = sendings.firstIndex(where: { $0.row.type == .alert }) else { return }
                sendings[index].isUndelivered = isUndelivered
                var again = sendings[index]
                again.isUndelivered = false
                again.at = again.at + .milliseconds(300)
                sendings.append(again)
            })
        }
        #expect(try record(true).exit.code == 0)
        let blamed = try record(false)
        #expect(blamed.correlation.count(.duplicated) > 5)
        let finding = try #require(try result("no-duplicate-push", blamed).verdict.findings.first)
        // The pushes themselves are there to be looked at, and the call that caused them.
        #expect(finding.exchanges.map(\.entry) == finding.entries && finding.entries.count == 2)
        #expect(finding.exchanges[0].request.contains(":method: POST"))
        let call = try #require(finding.call)
        #expect(!call.kind.isEmpty && call.answer.hasPrefix("20") && call.answer.contains(" in 1.9 ms, to POST /") && call.answer.contains("(expected: 20"), "\(call)")
        #expect(finding.exchanges[0].payload.hasPrefix(#"{"aps""#) && finding.exchanges[0].answer == "200")
        #expect(finding.exchanges[0].device == "shown")
        let path = try #require(finding.exchanges[0].request.first { $0.hasPrefix(":path") })
        let short = try #require(blamed.withShortTokens.verdicts.first { $0.id == "no-duplicate-push" }?.verdict.findings.first)
        #expect(short.exchanges[0].request.contains(String(path.prefix(25)) + "…"))
        #expect(!short.exchanges[0].request.contains(path))
        #expect(short.exchanges[0].request.contains { $0.hasPrefix("authorization: bearer #") })
        // What happened around them: the token's registration, the call, both pushes, and the end of the run.
        let history = finding.history
        #expect(history.filter(\.isMeant).count == 3 && history.last?.words == "the run ends", "\(history)")
        #expect(history.contains { $0.words.contains(" registers device token ") && !$0.isMeant }, "\(history)")
        #expect(history.filter { $0.isMeant && $0.words.hasPrefix("push alert") && $0.words.hasSuffix("→ 200, shown") }.count == 2)
        #expect(history.map(\.at) == history.map(\.at).sorted() && history.count <= 11)
        #expect(finding.more(in: "some run").hasPrefix("pushrig journal 'some run' --session "))
        #expect(finding.more(in: "").hasSuffix(" --around \(finding.entries[1])"))
    }

    @Test("a push that comes when its session has long been over is one that nothing called for")
    func stray() throws {
        func record(behind seconds: Double) throws -> RunRecord {
            try judge(smallScenario, spoil: { sendings, account in
                guard account == 0, var late = sendings.last else { return }
                late.at = late.at + .seconds(seconds)
                sendings.append(late)
            })
        }
        let late = try record(behind: 300)
        #expect(late.correlation.count(.unexpected) == 1)
        let finding = try #require(try result("nothing-unexpected", late).verdict.findings.first)
        #expect(finding.seen.hasSuffix("when its session had long been over") && finding.session != nil, "\(finding)")
        #expect(try !result("nothing-unexpected", record(behind: 0)).verdict.isBroken)
    }

    @Test("a push to nobody's token that bears no marker is one that nothing called for, of a relay that we started")
    func unmarkedStray() throws {
        let record = try judge(smallScenario, spoil: { sendings, account in
            guard account == 0, var stray = sendings.first(where: { $0.row.type == .alert }) else { return }
            (stray.token, stray.payload) = ("0f", #"{"aps":{"alert":"Hello"}}"#)
            sendings.append(stray)
        })
        #expect(record.correlation.count(.unexpected) == 1)
    }

    /// It is looked for until half a minute behind its deadline, which counts from the answer.
    @Test("what a call owes that was answered late is late when it comes behind that, and not lost")
    func answeredLate() throws {
        let calls = try SyntheticRun(smallScenario, directory: "/tmp").scenario.relay.profile.calls
        let kind = try #require(calls.firstIndex { $0.name == "complete" })
        let record = try judge(smallScenario, call: { draft in
            guard draft.session == 0, draft.kind == kind else { return }
            draft.answeredAt = draft.plannedAt + .seconds(60)
        }, spoil: { sendings, _ in
            for index in sendings.indices where sendings[index].row.session == 0 && Int(sendings[index].row.kind) == kind {
                sendings[index].at = sendings[index].at + .seconds(92)
            }
        })
        #expect(record.correlation.count(.late) == 2 && record.correlation.count(.lost) == 0)
    }

    @Test("a loss tells how many of its kind were lost")
    func share() throws {
        let record = try judge(smallScenario, spoil: { sendings, _ in sendings.removeAll { $0.row.type == .alert } })
        let seen = try #require(try result("states-delivered", record).verdict.findings.first).seen
        #expect(seen.hasSuffix("10 of the 20 pushes that `permission` owed in this run did not come"), "\(seen)")
    }

    /// Nothing ever goes to the token with which a start would be pushed: its registration alone says whose it is.
    @Test("a state that reached a token of another user is told, be it one that nothing was ever expected at")
    func astray() throws {
        try withDirectory { directory in
            mkdir(directory, 0o755)
            let file = try #require(fopen(directory + "/alone.yaml", "w"))
            fputs("name: alone\nsteps: [{ call: registerDevice }, { call: permission, after: 500ms }]\n", file)
            fclose(file)
            let text = smallScenario.replacing("sessions/S0-happy.yaml", with: directory + "/alone.yaml")
            let plan = try SyntheticRun(text, directory: directory).plan
            let record = try judge(text, spoil: { sendings, index in
                if let other = [4: 3, 7: 4][index] { sendings[0].token = plan.token(.startToken, session: UInt32(other)) }
            })
            let findings = try result("sessions-kept-apart", record).verdict.findings
            #expect(findings.map(\.seen) == ["a token of another user", "a token of another user"])
            // Whose it is stands in the history, also where that session has a finding of its own.
            for finding in findings {
                let whose = "`registerDevice` (session \(finding.session == 4 ? 3 : 4), step 0) registers "
                #expect(finding.history.contains { $0.words.hasPrefix(whose) }, "\(finding.history)")
            }
        }
    }

    @Test("what the app's types cannot decode is told, also where the device says nothing of it")
    func undecodable() throws {
        let record = try judge(smallScenario, spoil: { sendings, index in
            guard index == 0, let update = sendings.firstIndex(where: { $0.event == .update }) else { return }
            sendings[update].payload = #"{"aps":{"timestamp":\#(sendings[update].stamp),"event":"update","content-state":7}}"#
        })
        let finding = try #require(try result("content-decodes", record).verdict.findings.first)
        #expect(finding.seen.contains("content-state"), "\(finding.seen)")
        #expect(record.exit.code == 4)
    }

    @Test("what became of a stored push counts as what its device did")
    func late() throws {
        func record(_ outcome: Outcome) throws -> RunRecord {
            try judge(smallScenario, spoil: { sendings, index in
                guard index == 0, let last = sendings.indices.last else { return }
                sendings[last].outcome = .stored
                sendings[last].late = outcome
            })
        }
        #expect(try record(.ended).exit.code == 0)
        #expect(try record(.ended).correlation.outcomes["late ended"] == 1)
        #expect(try record(.undecodable).exit.code == 4)
    }

    @Test("a journal that holds more than the run counted is not judged")
    func foreign() throws {
        let failure = #expect(throws: Failure.self) {
            try judge(smallScenario, extras: { extras in extras.totals = { $0.pushes -= 1 } })
        }
        #expect(failure?.message.contains("pushes, and the run counted") == true)
        #expect(try judge(smallScenario, extras: { extras in extras.totals = { $0.pushes += 1 } }).exit.code == 5)
    }

    @Test("a fault that was given explains what it refused, and one that never fired explains nothing")
    func faults() throws {
        let scenario = fault("{ at: 2s, for: 3s, action: { respond: { reason: BadTopic } } }")
        func record(given: Bool, fired: Int) throws -> RunRecord {
            try judge(scenario, extras: { extras in
                if given {
                    extras.notes = [
                        (at(2), .faultGiven(FaultNote(number: 0, rule: 7, label: "400 BadTopic"))), (at(5), .faultTaken(0)),
                    ]
                }
                extras.totals = { $0.firings = [fired] }
            }, spoil: { sendings, index in
                guard index == 0, let alert = sendings.firstIndex(where: { $0.row.type == .alert }) else { return }
                sendings[alert].status = 400
                sendings[alert].reason = "BadTopic"
                sendings[alert].outcome = nil
                sendings[alert].faultRule = 7
            })
        }
        let whole = try record(given: true, fired: 1)
        #expect(whole.exit.code == 0, "\(whole.exit.reasons)")
        #expect(whole.correlation.excuses == ["400 BadTopic": 1])
        #expect(whole.bands.map(\.label) == ["400 BadTopic"])
        #expect(whole.bands.first?.start == .seconds(2) && whole.bands.first?.end == .seconds(5))
        #expect(try record(given: true, fired: 0).exit.code == 5)
        #expect(try record(given: true, fired: 0).exit.reasons.first?.contains("fault 1 fired") == true)
        #expect(try record(given: false, fired: 1).bands.isEmpty)
    }

    @Test("an answer of 5xx is let off near what our faults did to APNs, and not near a refusal for good", arguments: [
        (503, 0, true), (429, 0, true), (200, 900, true), (200, 0, false), (410, 0, false), (400, 0, false),
    ] as [(UInt16, Int64, Bool)])
    func trouble(status: UInt16, delay: Int64, isLetOff: Bool) throws {
        let scenario = fault("{ at: 0s, for: 30s, action: { respond: { reason: BadTopic } } }")
        var failed = false
        let record = try judge(scenario, extras: { extras in
            extras.notes = [(at(0), .faultGiven(FaultNote(number: 0, rule: 7, label: "fault")))]
        }, call: { draft in
            // The start of a session, which causes the first push.
            guard !failed, draft.session == 0, draft.step == 1 else { return }
            failed = true
            draft.status = 500
            draft.failure = EventFailure.unexpectedStatus.rawValue
            // Behind what became of its push, which comes 5 ms after the call.
            draft.answeredAt = draft.plannedAt + .milliseconds(100)
        }, spoil: { sendings, index in
            guard index == 0, !sendings.isEmpty else { return }
            sendings[0].status = status
            sendings[0].faultRule = 7
            sendings[0].delay = .milliseconds(delay)
            if status != 200 { sendings[0].outcome = nil }
        })
        #expect(failed)
        #expect(try result("relay-serves", record).verdict.isBroken != isLetOff)
    }

    @Test("a restart of ours excuses what was owed meanwhile, and is drawn; a death of its own is the relay's")
    func outages() throws {
        func record(_ notes: [(Instant, RunNote)]) throws -> RunRecord {
            try judge(smallScenario, extras: { $0.notes = notes.map { (at: $0.0, note: $0.1) } }, spoil: { sendings, _ in
                sendings.removeAll { at(24) <= $0.at && $0.at <= at(25) && $0.row.type == .alert }
                sendings.removeAll { at(24) <= $0.row.plannedAt && $0.row.plannedAt <= at(25) }
            })
        }
        #expect(try record([]).exit.code == 4)
        let held = try record([
            (at(24), .relayStopping(signal: "KILL")),
            (at(24.1), .relayExited(RelayExitNote(how: "was ended by signal 9", wasAsked: true, lastLines: ""))),
            (at(24.5), .relayStarted(restart: 1, arguments: [])), (at(25), .relayReady(restart: 1)),
        ])
        #expect(held.exit.code == 0, "\(held.exit.reasons)")
        #expect(held.correlation.excuses["relay held down"] ?? 0 > 0)
        #expect(held.bands == [.init(kind: .restart, label: "relay down", start: .seconds(24), end: .seconds(25))])
        // Started again, it has its own time to be ready, and no more.
        let hung = try record([
            (at(2), .relayStopping(signal: "KILL")), (at(2.5), .relayStarted(restart: 1, arguments: [])),
        ])
        #expect(hung.exit.code == 4, "\(hung.exit.reasons)")
        #expect(hung.bands == [.init(kind: .restart, label: "relay down", start: .seconds(2), end: .seconds(17.5))])
        let died = try record([
            (at(24), .relayExited(RelayExitNote(how: "was ended by signal 11", wasAsked: false, lastLines: "panic")))
        ])
        #expect(died.exit.code == 4)
        let first = try result("relay-serves", died).verdict.findings.first
        #expect(first?.message == "the relay ended by itself at +24s" && first?.seen == "was ended by signal 11: panic")
    }

    /// With calls enough that it did not answer to fill all findings.
    @Test("what explains calls without an answer stands before them: the relay's own end, or that it answered nothing any more")
    func ends() throws {
        func record(_ note: RunNote, _ failure: EventFailure) throws -> RunRecord {
            try judge(smallScenario, extras: { $0.notes = [(at: at(10), note: note)] }, call: { event in
                guard event.plannedAt >= at(2) else { return }
                (event.status, event.failure, event.answeredAt) = (0, failure.rawValue, Instant(nanoseconds: 0))
            }, spoil: { sendings, _ in sendings.removeAll { at(2) <= $0.at } })
        }
        let exit = RelayExitNote(how: "exited with code 3", wasAsked: false, lastLines: "out of memory")
        let died = try record(.relayExited(exit), .connect)
        #expect(died.exit.code == 4 && died.exit.reasons.first == "the relay ended by itself at +10s: exited with code 3: out of memory")
        let findings = try result("relay-serves", died).verdict.findings
        #expect(findings.count == 10 && findings[0].message == "the relay ended by itself at +10s while it was asked `progress`", "\(findings.map(\.message))")
        #expect(findings[1].seen == "connect" && died.relayEnds == [died.exit.reasons[0]])
        #expect(try RunRecord(json: died.json).relayEnds == died.relayEnds)

        let note = MuteNote(silence: .seconds(3), unanswered: 5, underWay: 64)
        let mute = try record(.relayMute(note), .closed)
        let words = "the relay answered no call for 3s, up to +10s: the rest of the load was not sent"
        #expect(mute.exit.code == 4 && mute.exit.reasons.first == words, "\(mute.exit.reasons)")
        // Calls that were cut off by that are no findings of their own.
        let only = try result("relay-serves", mute).verdict
        #expect(only.findings.map(\.message) == [words] && mute.proof.broken.contains("relay-serves"))
    }

    @Test("the end of the run stops the relay too, and nothing is owed then")
    func stopping() throws {
        let record = try judge(smallScenario, extras: { $0.notes = [(at: at(500), note: .relayStopping(signal: "TERM"))] })
        #expect(record.bands.isEmpty)
        #expect(record.exit.code == 0)
    }

    @Test("answers that nobody expected are grouped, first thing among the reasons")
    func wrongAnswers() throws {
        let record = try judge(smallScenario, call: { event in
            event.status = 401
            event.answer = Array("unknown secret".utf8)
        }, spoil: { sendings, _ in sendings = [] })
        #expect(record.exit.code == 5)
        #expect(record.exit.reasons.first?.contains("calls with 401: unknown secret") == true)
        #expect(record.correlation.wrongAnswers.count == 1)
        #expect(record.load.failed == record.load.sent)
    }

    @Test("a relay that takes every call and pushes nothing has failed")
    func nothingPushed() throws {
        let record = try judge(smallScenario, spoil: { sendings, _ in sendings = [] })
        #expect(record.exit.code == 4)
        #expect(try result("accepted-is-pushed", record).standing == .broken)
    }

    @Test("our own lateness is no relay's, and proves nothing that rests on timing")
    func lateness() throws {
        func record(_ lateness: Interval) throws -> RunRecord {
            try judge(smallScenario, call: { $0.lateness = lateness }, spoil: { sendings, _ in
                for index in sendings.indices where sendings[index].event == .start {
                    sendings[index].at = sendings[index].at + .seconds(30)
                }
            })
        }
        #expect(try record(.zero).exit.code == 4)
        let late = try record(.seconds(40))
        #expect(late.exit.code == 5, "\(late.exit.reasons)")
        #expect(late.correlation.count(.late) == 0)
    }

    @Test("an event that we posted twice excuses its second push")
    func sentTwice() throws {
        func record(_ attempts: UInt8) throws -> RunRecord {
            try judge(smallScenario, call: { $0.attempts = attempts }, spoil: { sendings, _ in
                for sending in sendings where sending.row.type == .alert {
                    var again = sending
                    again.at = sending.at + .milliseconds(1)
                    sendings.append(again)
                }
            })
        }
        #expect(try record(1).exit.code == 4)
        #expect(try record(2).exit.code == 0)
    }

}
