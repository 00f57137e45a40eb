// The key `observers` of a profile: who listens to what the relay broadcasts.

import Basics
import YAML

struct ObserverDecoder {
    /// How a request is read.
    let requests: CallDecoder
    let mistakes: Mistakes

    private static let most = 8

    func observers(_ fields: Fields) -> [ObserverSpec] {
        let entries = fields.entries("observers")
        if entries.count > Self.most {
            mistakes.add("there are at most \(Self.most) `observers`", at: entries[Self.most].keyPlace)
        }
        return entries.prefix(Self.most).compactMap(observer)
    }

    private func observer(_ entry: YAMLEntry) -> ObserverSpec? {
        guard let fields = Fields(entry.value, .observer, mistakes) else { return nil }
        // It belongs to no call, so there is nothing of a call or an answer that it could say.
        var compiler = TemplateCompiler(ownNames: [], mistakes: mistakes)
        var request = ProfileCall(
            name: entry.key, method: "GET", path: requests.path(fields, &compiler),
            fields: requests.headerFields(fields, nil, &compiler))
        if !request.fields.contains(where: { $0.name == "accept" }) {
            request.fields.append(("accept", Template(segments: [.literal(Array("text/event-stream".utf8))])))
        }
        request.auth = requests.auths.auth(fields.value("auth"), &compiler)
        if request.auth?.oauth2 != nil {
            mistakes.add(
                "access tokens are fetched for calls, and `\(entry.key)` listens",
                hint: "give it an `auth` of its own, or `none`", at: entry.keyPlace)
        }
        for case .event(let variable) in compiler.used {
            mistakes.add(
                "`\(variable.rawValue)` is of a call, and `\(entry.key)` listens for all of them",
                hint: "take what lasts as long as a session, such as {{secret}}", at: entry.keyPlace)
        }
        let per: ObserverSpec.Per? = fields.choice("per")
        return ObserverSpec(
            name: entry.key, request: request, per: per ?? .user, copies: fields.count("copies", 1...8) ?? 1,
            users: fields.count("users", 1...1_000) ?? 100, event: fields.text("event"))
    }
}

/// The key `tells` of a call.
struct TellingDecoder {
    let observers: [String]
    let mistakes: Mistakes

    func tellings(_ fields: Fields, used: Set<TemplateVariable>) -> [ExpectedTelling] {
        fields.items("tells", atMost: 8).compactMap { node in
            guard let inner = Fields(node, .telling, mistakes), let name = inner.text("observer") else { return nil }
            guard let observer = observers.firstIndex(of: name) else {
                mistakes.add(
                    "`\(name)` is none of the profile's `observers`", hint: suggestion(for: name, in: observers),
                    at: inner.value("observer")!.place)
                return nil
            }
            let isMarked = inner.flag("marked") ?? true
            if isMarked, !used.contains(.event(.marker)) {
                mistakes.add(
                    "the call tells an observer but carries no {{marker}}, so it could not be told apart",
                    hint: "put {{marker}} where the relay passes text through, or say `marked: false`", at: node.place)
            }
            return ExpectedTelling(
                observer: observer,
                within: inner.duration("within", .milliseconds(1)...ExpectedTelling.longest) ?? .seconds(1), isMarked: isMarked)
        }
    }
}
