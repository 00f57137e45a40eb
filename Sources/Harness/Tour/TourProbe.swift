// What the first play of a tour's calls brought about, as the journal of that run tells.

import APNs
import Basics
import Journal
import Planning
import Pushes
import Scenarios
import Verdicts

struct TourProbe {
    var seen: [TourDraft.Seen]
    /// The first answer that says no, in words, by call.
    var refusals: [Int: String] = [:]
    /// The app that the pushes are for; nil: there was none.
    var topic: String?
    /// Pushes of which nobody knows what call they are of; and the first that was refused, in words.
    var unknown = 0
    var refused: String?
    /// Hosts of APNs that pushes came to.
    var environments: Set<PushEnvironment> = []
    /// What calls that are to be refused were answered with.
    var refusedWith: [Int: Set<Int>] = [:]
    var calls = 0
    /// One call brought a push to another session's token.
    var broadcast: Int?
    /// What became of the text, where it came back as another, by call.
    var altered: [Int: String] = [:]

    /// `calls` of the profile in that order; `refusing`: those that are to be refused.
    init(of directory: String, calls count: Int, refusing: Set<Int> = []) throws(Failure) {
        seen = Array(repeating: TourDraft.Seen(), count: count)
        let reader = try JournalReader(directory: try JournalPlace.journal(of: directory))
        let plan = try Verdicts.planNote(reader)
        let homes = try plan.map { found throws(Failure) in Self.homes(found.note.plan(of: try found.note.scenario())) } ?? [:]
        var events: [UInt64: EventEntry] = [:]
        var pushes: [PushEntry] = []
        _ = try reader.forEach(since: nil) { entry in
            switch entry {
            case .event(let event): events[EventNumber.place(session: event.session, step: event.step)] = event
            case .push(let push) where push.kind == .push: pushes.append(push)
            default: break
            }
            return true
        }
        calls = events.count
        for event in events.values where seen.indices.contains(Int(event.kind)) {
            if refusing.contains(Int(event.kind)) {
                refusedWith[Int(event.kind), default: []].insert(Int(event.status))
            } else {
                learn(event)
            }
        }
        var owners: [String: UInt32] = [:]
        // Markers that a card has shown: what comes behind a later call with one of them says again what it was told before.
        var shown: [String: Set<String>] = [:]
        for push in pushes where push.status == 200 {
            guard let marker = push.marker,
                let event = events[EventNumber.place(session: marker.session, step: marker.step)]
            else { continue }
            owners[push.token] = marker.session
            var found = Self.push(push)
            let isNew = shown[push.token, default: []].insert(marker.text).inserted
            let later = events.values.filter {
                $0.session == marker.session && $0.step > marker.step && $0.sentAt <= push.arrivedAt
                    && !refusing.contains(Int($0.kind))
            }
            if !isNew, found.event == .end, let call = later.max(by: { $0.sentAt < $1.sentAt }) {
                (found.isMarked, found.passes) = (false, [])
                learn(push, found, of: Int(call.kind))
                continue
            }
            let home = homes[push.token.lowercased()] ?? homes[push.token]
            if let home, home != marker.session { broadcast = Int(event.kind) }
            learn(push, found, of: Int(event.kind))
        }
        for push in pushes {
            guard push.status == 200 else {
                refused = refused ?? "\(push.status) \(push.reason ?? "")"
                continue
            }
            let place = push.marker.map { EventNumber.place(session: $0.session, step: $0.step) }
            if let place, events[place] != nil { continue }
            // Of the last call of the session whose token it is.
            let earlier = events.values.filter { $0.session == owners[push.token] && $0.sentAt <= push.arrivedAt }
            var found = Self.push(push)
            // A profile can say of a card's states alone that they have no text.
            let isState = found.type == .liveactivity && found.event != .start
            guard isState, let event = earlier.max(by: { $0.sentAt < $1.sentAt }) else {
                unknown += 1
                continue
            }
            (found.isMarked, found.passes) = (false, [])
            learn(push, found, of: Int(event.kind))
        }
    }

    /// Whose each token is that calls name.
    private static func homes(_ plan: Plan) -> [String: UInt32] {
        var homes: [String: UInt32] = [:]
        for index in 0..<plan.sessionCount {
            let session = plan.sessionNumber(index)
            for variable in SessionVariable.tokens { homes[plan.token(variable, session: session)] = session }
        }
        return homes
    }

    private mutating func learn(_ event: EventEntry) {
        let kind = Int(event.kind)
        if (200..<300).contains(event.status) {
            seen[kind].statuses.insert(Int(event.status))
        } else if refusals[kind] == nil {
            let words = String(decoding: event.answer.prefix(200), as: UTF8.self)
            refusals[kind] = event.status == 0 ? "not at all" : "\(event.status)" + (words.isEmpty ? "" : ": \(words)")
        }
    }

    private mutating func learn(_ push: PushEntry, _ found: TourDraft.SeenPush, of kind: Int) {
        guard seen.indices.contains(kind) else { return }
        topic = topic ?? Self.bundle(of: push)
        if push.provider == .apns { environments.insert(push.environment) }
        if found.isMarked, found.passes.isEmpty, altered[kind] == nil { altered[kind] = Self.text(in: push) }
        if !seen[kind].pushes.contains(where: { $0.words == found.words && $0.isMarked == found.isMarked }) {
            seen[kind].pushes.append(found)
        }
    }

    /// The text that has the marker, where it does not end as it was said.
    private static func text(in push: PushEntry) -> String? {
        let texts = texts(in: push).map(\.text).filter { $0.contains("[pr:") }
        return texts.contains { $0.contains(TourDraft.text) } ? nil : texts.first
    }

    private static func texts(in push: PushEntry) -> [(pointer: String, text: String)] {
        (try? JSONValue(parsing: String(decoding: push.payload, as: UTF8.self)))?.texts ?? []
    }

    /// The bundle identifier of the app that it is for; nil where none is told.
    static func bundle(of push: PushEntry) -> String? {
        guard push.provider == .apns, let full = push.topic else { return nil }
        let suffix = (push.pushType.flatMap { PushType(word: $0) } ?? .alert).topicSuffix.description
        return full.hasSuffix(suffix) ? String(full.dropLast(suffix.count)) : full
    }

    static func push(_ push: PushEntry) -> TourDraft.SeenPush {
        let type = push.pushType.flatMap { PushType(word: $0) } ?? .alert
        var found = TourDraft.SeenPush(provider: push.provider, type: type, token: "deviceToken")
        if push.provider == .fcm {
            found.token = "registrationToken"
        } else if type == .liveactivity {
            found.event = push.event ?? .update
            found.token = found.event == .start ? "startToken" : "activityToken"
        }
        // It came as it was said: behind the marker, and to its end.
        found.passes = texts(in: push).filter { $0.text.hasPrefix("[pr:") && $0.text.hasSuffix(TourDraft.text) }.map(\.pointer)
        return found
    }
}
