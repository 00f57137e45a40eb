// What a push carries, held against the profile: does it decode, does it keep to the contract, is it what the relay was
// given, and has a start all that it needs?

import Basics
import Conformance
import Journal
import Metrics
import Planning
import Pushes
import Scenarios
import Schemas

/// Confined to the judge's thread.
final class ContentCheck {
    private let checker: ContentChecker?
    private let renderer: CallRenderer?
    private let carried: CarriedCheck?
    private let declared: DeclaredCheck?
    private let endsOfAge: Bool
    private let messageEvent: String?
    private let dedupe: DedupeSpec?
    private let scanner = JSONScanner(maxDepth: 128, maxNodes: 16_384)
    /// More reasons than these are not told of one push.
    private static let mostReasons = 3

    /// Without a plan only what every start needs is looked at.
    init(plan: Plan?) {
        checker = plan.map { ContentChecker($0.scenario.relay.profile) }
        let renderer = plan.map { CallRenderer($0) }
        self.renderer = renderer
        carried = plan.flatMap { CarriedCheck($0) }
        declared = plan.flatMap { DeclaredCheck($0, renderer!) }
        dedupe = plan?.scenario.relay.profile.dedupe
        messageEvent = plan?.scenario.relay.profile.content.messageEvent?.text
        endsOfAge = plan?.scenario.relay.profile.activities.end != nil
    }

    func learn(_ note: CaptureNote) { renderer?.learn(note) }

    func learn(_ made: MadeReaction) { renderer?.learn(made) }

    /// Of the account's sessions nothing is asked any more.
    func forget(_ account: Account) {
        var last: UInt32?
        for call in account.calls where call.session != last {
            renderer?.forget(call.session)
            carried?.forget(call.session)
            last = call.session
        }
    }

    /// What a request to FCM says of the Live Update that it is of; nil: it is of none.
    func messageEvent(of request: JSONValue) -> ActivityEvent? {
        messageEvent.flatMap { request.at(pointer: $0)?.string }.flatMap { ActivityEvent(word: $0) }
    }

    /// Writes down what of its calls the relay compares, to leave out what it has told before.
    func say(of account: inout Account) {
        guard let dedupe, let renderer else { return }
        for index in account.rows.indices where account.rows[index].flags.contains(.mayRepeat) {
            guard let call = account.call(at: account.rows[index].place) else { continue }
            let body = try? JSONValue(parsing: renderer.body(of: call).bytes)
            let said = dedupe.by.map { body?.at(pointer: $0.text)?.text ?? "" }.joined(separator: "\n")
            account.rows[index].saying = withBytes(of: said) { max(1, Hash128(hashing: $0).low) }
        }
    }

    /// By which a push of such a call is told; nil: by none, or nobody knows.
    func collapseID(of call: SeenCall, _ form: PushForm) -> String? { declared?.collapseID(of: call, form) }

    var judgesSchemas: Bool { checker?.judgesSchemas ?? false }

    var judgesCarried: Bool { carried != nil }

    /// `calls`: those of the marker's session up to the one that it speaks of, where their account is at hand; one alone
    /// where nothing is carried from call to call.
    func look(
        at entry: PushEntry, _ marker: Marker?, _ calls: ArraySlice<SeenCall>, _ push: inout SeenPush, _ context: RunContext
    ) {
        declared?.look(at: entry, calls, &push, context)
        guard push.isAccepted, !entry.isCut else { return }
        if push.provider == .fcm {
            guard let checker, let marker, let renderer else { return }
            let passed = passedOn(entry.payload.span, marker, renderer, checker, calls, &push)
            push.alteration = number(of: passed, context)
            return
        }
        if push.event == .start { lookAtStart(entry, &push, context) }
        guard let checker else { return }
        let payload = entry.payload.span
        let verdict = checker.verdict(payload, push.form)
        if push.event == .update, checker.judgesSchemas, checker.hasAlert { push.flags.insert(.alerts) }
        push.undecodable = number(of: verdict.doesNotDecode, context)
        push.contractBreak = number(of: verdict.breaksContract, context)
        if push.event == .end { lookAtEnd(entry, &push) }
        if endsOfAge, push.isLiveActivity, push.event == .end, !owesEnd(marker, calls) {
            push.startLack = checker.lackOfAgedEnd(payload).map { context.texts.intern($0) } ?? -1
            return
        }
        guard let marker, let renderer else { return }
        let lapses = carried?.look(at: payload, push, calls)
        push.lapse = number(of: lapses?.kept ?? [], context)
        push.fall = number(of: lapses?.fall ?? [], context)
        push.drift = number(of: lapses?.drift ?? [], context)
        // A start that stands for no call of its own need not pass on what that call said beside the state.
        let standsIn = entry.marker == nil && push.event == .start
        let passed = standsIn ? [] : passedOn(payload, marker, renderer, checker, calls, &push)
        if lapses?.hasCompared ?? false { push.flags.insert(.isCompared) }
        push.alteration = number(of: passed + (lapses?.said ?? []), context)
    }

    /// Whether the call that the marker speaks of ends an activity; else the activity's age may have ended it.
    private func owesEnd(_ marker: Marker?, _ calls: ArraySlice<SeenCall>) -> Bool {
        guard let marker, let renderer else { return false }
        let index = calls.last.map { renderer.index(of: $0) } ?? renderer.call(session: marker.session, step: marker.step)?.call
        return index.map { renderer.owesEnd($0) } ?? true
    }

    /// Where the push does not say what its call said. Notes whether anything of it was compared.
    private func passedOn(
        _ payload: Span<UInt8>, _ marker: Marker, _ renderer: CallRenderer, _ checker: ContentChecker,
        _ calls: ArraySlice<SeenCall>, _ push: inout SeenPush
    ) -> [SchemaFinding] {
        if let call = calls.last {
            let index = renderer.index(of: call)
            guard checker.judgesPassing(call: index, push.form) else { return [] }
            push.flags.insert(.isCompared)
            let body = renderer.body(of: call)
            return checker.differences(payload, push.form, call: index, body: body.bytes)
                + misdated(payload, index, checker, push)
        }
        guard let sent = renderer.call(session: marker.session, step: marker.step),
            checker.judgesPassing(call: sent.call, push.form)
        else { return [] }
        push.flags.insert(.isCompared)
        return checker.differences(payload, push.form, call: sent.call, body: sent.body.span)
            + misdated(payload, sent.call, checker, push)
    }

    private func misdated(
        _ payload: Span<UInt8>, _ call: Int, _ checker: ContentChecker, _ push: SeenPush
    ) -> [SchemaFinding] {
        checker.misdated(payload, push.form, call: call, arrivedAt: push.arrivedWall)
    }

    private func number(of findings: [SchemaFinding], _ context: RunContext) -> Int32 {
        guard !findings.isEmpty else { return -1 }
        return context.texts.intern(findings.prefix(Self.mostReasons).map(\.description).joined(separator: "; "))
    }

    private func lookAtStart(_ entry: PushEntry, _ push: inout SeenPush, _ context: RunContext) {
        guard push.isLiveActivity, scanner.scan(entry.payload.span) == nil, let aps = scanner.member("aps", of: 0) else {
            return
        }
        func has(_ key: StaticString) -> Bool { scanner.member(key, of: aps) != nil }
        if has("input-push-token") || has("input-push-channel") { push.flags.insert(.asksForToken) }
        let wanted: [StaticString] = ["attributes-type", "attributes", "content-state", "alert"]
        let lacks = wanted.filter { !has($0) }.map(\.description)
        if !lacks.isEmpty {
            push.startLack = context.texts.intern("no " + lacks.joined(separator: ", no "))
        } else if let alert = scanner.member("alert", of: aps), !scanner.saysSomething(alert: alert) {
            if scanner.member("title", of: alert) == nil, scanner.member("body", of: alert) == nil {
                push.startLack = context.texts.intern("an alert with neither title nor body")
            } else {
                push.flags.insert(.isQuietStart)
            }
        }
    }

    private func lookAtEnd(_ entry: PushEntry, _ push: inout SeenPush) {
        guard push.isLiveActivity, scanner.scan(entry.payload.span) == nil, let aps = scanner.member("aps", of: 0),
            let date = scanner.member("dismissal-date", of: aps)
        else { return }
        // In whatever form, as a phone reads it.
        push.dismissal = scanner.wholeNumber(date)
    }
}

extension SeenPush {
    var form: PushForm { PushForm(provider, type, event) }
}
