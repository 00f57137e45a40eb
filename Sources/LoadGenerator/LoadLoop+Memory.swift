// What sessions with a memory do beside their plan: take values from answers, react to phones, and go without a call whose
// words are not there.

import Basics
import EventLoop
import HTTP
import Journal
import Net
import Planning
import Pushes
import Scenarios

extension LoadLoop {
    // MARK: A session's life

    func beginRemembering(_ remembered: SessionMemory, _ cursor: SessionCursor) {
        if let row = sessions.begin(cursor, workload, isKept: true) {
            remembered.row = row
        } else {
            // It has no events, so nothing can happen on its phones either.
            memory?.forget(remembered)
            userIsFree(wasSilent: true)
        }
    }

    /// The last event of a session's plan has become due.
    func planIsOver(_ row: UInt32, at time: Interval) {
        guard let remembered = memory?[sessions.session(row)] else { return }
        memory?.planIsOver(remembered, at: time)
    }

    /// A session of which nothing more can come is forgotten, and its row is free.
    func forgetIfOver(_ remembered: SessionMemory) {
        guard sessions.isIdle(remembered.row), memory?.forgetIfOver(remembered) == true else { return }
        sessions.release(remembered.row)
        userIsFree()
        // A time limit that does not matter any more may be all that the timer waits for.
        armTimer()
    }

    // MARK: Answers

    /// Takes from the answer, which is read, what the call's profile wants of it. Whether all of it was there.
    func capture(_ flight: Flight, _ head: HeaderBlock) -> Bool {
        let captures = workload.owing[flight.event.call].captures
        guard !captures.isEmpty, let remembered = memory?[flight.event.session] else { return true }
        var hasAll = true
        for capture in captures {
            var note = CaptureNote(
                session: flight.event.session, step: flight.event.step, name: workload.profile.captures[capture.name])
            let found =
                switch capture.place {
                case .json(let pointer): answers.value(at: pointer)
                case .header(let name, let behind):
                    CaptureReader.value(inHeader: name, head.text(named: name), behind: behind)
                }
            switch found {
            case .success(let value):
                remembered.keep(value, as: capture.name)
                if workload.profile.webhooks?.captured.contains(CapturedNames(capture.name)) == true {
                    settings.secrets?(flight.event.session, value.bytes)
                }
                let isSecret = workload.profile.secretCaptures.contains(CapturedNames(capture.name))
                note.value = isSecret ? Capture.unrecorded : String(decoding: value.bytes, as: UTF8.self)
                note.isText = value.isText || isSecret
            case .failure(let words):
                note.failure = words.text
                let mayLack = workload.profile.calls[flight.event.call].lacks.contains(CapturedNames(capture.name))
                if !mayLack {
                    snapshot.missedCaptures += 1
                    hasAll = false
                }
            }
            journal.append(note, at: loop.stamp())
            requestTurnEnd()
        }
        return hasAll
    }

    /// The event has nothing to say without what is missing, or nobody to say it to: it is not sent, which is on record.
    func withhold(_ due: DueEvent, _ lack: String, as failure: EventFailure = .withheld) {
        snapshot.count(failure)
        write(
            EventDraft(
                session: due.event.session, step: due.event.step, kind: UInt16(due.event.call),
                plannedAt: origin + due.event.at, failure: failure.rawValue,
                answer: Array(lack.utf8.prefix(EventDraft.maxAnswerBytes))))
        settled(due.row, wasSent: false, at: loop.stamp())
    }

    // MARK: Phones

    /// Something happened on a phone. Nothing that comes before the start or after the end is heeded.
    func heed(_ event: PhoneEvent) {
        guard isRunning, !isEnding, memory != nil else { return }
        let now = loop.clockNow() - origin
        let session = settings.plan.session(of: event, elapsed: now)
        // Every loop hears of every phone; what is nobody's is counted by the first.
        let position = session.flatMap { settings.plan.position(of: $0) } ?? 0
        guard position % settings.stride == settings.index else { return }
        memory?.heed(event, session: session, life: life(on: event.phone), now: now)
        armTimer()
    }

    private func life(on phone: String) -> UInt32? { settings.phones.flatMap { $0.life(on: phone) } }

    func takeFromMemory() {
        guard let due = memory?.takeDue() else { return }
        let remembered = due.memory
        switch due {
        case .reaction(_, let pending):
            // An app that its user has ended meanwhile runs nothing of what it was about to.
            guard life(on: phoneName(pending.phone, of: remembered)) == pending.life else { return forgetIfOver(remembered) }
            snapshot.planned += 1
            guard sessions.isFree(remembered.row), remembered.waiting.isEmpty else {
                memory?.wait(pending, remembered)
                return
            }
            react(pending, remembered)
        case .act(_, let pending): carryOut(pending, remembered)
        case .deadline(_, let number):
            if remembered.close(number) { noteInVain(number, remembered) }
            forgetIfOver(remembered)
        case .silence:
            remembered.isPlanOver = true
            forgetIfOver(remembered)
        }
    }

    /// The session's first waiting reaction, where it was due before the plan's first waiting event. False when it has to
    /// let that one pass. Nothing happens where something left meanwhile: its answer calls again.
    func sendWaitingReaction(_ row: UInt32) -> Bool {
        guard let remembered = memory?[sessions.session(row)] else { return false }
        guard let first = remembered.waiting.first else { return !sessions.mayTakeWaiting(row) }
        if let planned = sessions.waitingSince(row), planned < first.at { return false }
        guard sessions.isAnswered(row), let pending = memory?.takeWaiting(remembered) else { return true }
        react(pending, remembered)
        return true
    }

    private func react(_ pending: PendingReaction, _ remembered: SessionMemory) {
        let script = workload.scripts[Int(remembered.script)]
        let reaction = script.reactions[pending.reaction]
        let event = PlannedEvent(
            session: remembered.session, step: remembered.nextStep(after: sessions.taken(remembered.row)), at: pending.at,
            call: reaction.call, scriptStep: script.steps.count + pending.reaction)
        journal.append(
            ReactionNote(
                session: event.session, step: event.step, reaction: pending.reaction, event: reaction.event,
                cause: pending.cause, plannedAt: origin + pending.at, phone: pending.phone,
                token: String(decoding: pending.token, as: UTF8.self)),
            at: loop.stamp())
        requestTurnEnd()
        snapshot.reactions += 1
        send(sessions.due(remembered.row, event), remembered.context(pending))
    }

    private func noteInVain(_ number: Int, _ remembered: SessionMemory) {
        let reaction = workload.scripts[Int(remembered.script)].reactions[number]
        let now = loop.stamp()
        journal.append(
            ReactionNote(
                session: remembered.session, step: remembered.nextStep(after: sessions.taken(remembered.row)),
                reaction: number, event: reaction.event, cause: 0, plannedAt: now, phone: reaction.phone ?? 0, token: ""),
            at: now)
        requestTurnEnd()
        snapshot.waitedInVain += 1
    }

    // MARK: What users do on phones

    func carryOut(_ pending: PendingAct, _ remembered: SessionMemory) {
        let act = workload.scripts[Int(remembered.script)].acts[pending.act]
        let names = act.isOnAndroid
            ? workload.registrations(ofSession: remembered.session) : [phoneName(pending.phone, of: remembered)]
        for name in names {
            settings.phones?.act(
                PhoneDeed(
                    deed: act.deed, session: remembered.session, phone: name, isOnAndroid: act.isOnAndroid,
                    app: workload.profile.topic, activity: pending.activity))
        }
        forgetIfOver(remembered)
    }

    /// `phone`: of the session's user, from 0.
    func phoneName(_ phone: Int, of remembered: SessionMemory) -> String {
        PhoneName(user: remembered.session / UInt32(workload.sessionsPerUser), phone: phone).text
    }
}
