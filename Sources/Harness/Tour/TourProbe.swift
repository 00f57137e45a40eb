// What the first play of a tour's calls brought about, as the journal of that run tells.

import Basics
import Journal
import Pushes
import Verdicts

struct TourProbe {
    var seen: [TourDraft.Seen]
    /// The first answer that says no, in words, by call.
    var refusals: [Int: String] = [:]
    /// The app that the pushes are for; nil: there was none.
    var topic: String?
    /// Pushes that bear no marker of the run's, or were refused: the first of them, in words.
    var unmarked = 0
    var refused: String?
    var calls = 0

    /// `calls` of the profile in that order.
    init(of directory: String, calls count: Int) throws(Failure) {
        seen = Array(repeating: TourDraft.Seen(), count: count)
        let reader = try JournalReader(directory: try JournalPlace.journal(of: directory))
        var kinds: [UInt64: Int] = [:]
        var pushes: [PushEntry] = []
        var (refusals, statuses, made): ([Int: String], [Int: Set<Int>], Int) = ([:], [:], 0)
        _ = try reader.forEach(since: nil) { entry in
            switch entry {
            case .event(let event):
                made += 1
                let kind = Int(event.kind)
                kinds[EventNumber.place(session: event.session, step: event.step)] = kind
                if (200..<300).contains(event.status) {
                    statuses[kind, default: []].insert(Int(event.status))
                } else if refusals[kind] == nil {
                    let words = String(decoding: event.answer.prefix(200), as: UTF8.self)
                    refusals[kind] = event.status == 0
                        ? "not at all" : "\(event.status)" + (words.isEmpty ? "" : ": \(words)")
                }
            case .push(let push) where push.kind == .push: pushes.append(push)
            default: break
            }
            return true
        }
        (self.refusals, calls) = (refusals, made)
        for (kind, found) in statuses where seen.indices.contains(kind) { seen[kind].statuses = found }
        for push in pushes {
            guard push.status == 200 else {
                refused = refused ?? "\(push.status) \(push.reason ?? "")"
                continue
            }
            guard let marker = push.marker,
                let kind = kinds[EventNumber.place(session: marker.session, step: marker.step)], seen.indices.contains(kind)
            else {
                unmarked += 1
                continue
            }
            if push.provider == .apns, let full = push.topic {
                let suffixes = [".push-type.liveactivity", ".voip", ".complication", ".pushkit.fileprovider", ".location-query"]
                topic = topic ?? suffixes.first(where: full.hasSuffix).map { String(full.dropLast($0.count)) } ?? full
            }
            let found = Self.push(push)
            if !seen[kind].pushes.contains(where: { $0.words == found.words }) {
                seen[kind].pushes.append(found)
            }
        }
    }

    private static func push(_ push: PushEntry) -> TourDraft.SeenPush {
        let type = push.pushType.flatMap { PushType(word: $0) } ?? .alert
        var found = TourDraft.SeenPush(provider: push.provider, type: type, token: "deviceToken")
        if push.provider == .fcm {
            found.token = "registrationToken"
        } else if type == .liveactivity {
            found.event = push.event ?? .update
            found.token = found.event == .start ? "startToken" : "activityToken"
        }
        if let payload = try? JSONValue(parsing: String(decoding: push.payload, as: UTF8.self)) {
            found.passes = pointers(in: payload)
        }
        return found
    }

    /// Where a text begins with the marker and ends as the tour's text does: it came as it was said.
    private static func pointers(in value: JSONValue) -> [String] {
        switch value {
        case .string(let text): text.hasPrefix("[pr:") && text.hasSuffix(TourDraft.text) ? [""] : []
        case .object(let object):
            object.flatMap { key, inner in
                pointers(in: inner).map { "/" + key.replacing("~", with: "~0").replacing("/", with: "~1") + $0 }
            }
        case .array(let items): items.enumerated().flatMap { place, inner in pointers(in: inner).map { "/\(place)" + $0 } }
        default: []
        }
    }
}
