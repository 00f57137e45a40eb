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
        var compiler = TemplateCompiler(ownNames: [], feeds: requests.feeds, mistakes: mistakes)
        var request = ProfileCall(
            name: entry.key, method: "GET", path: requests.path(fields, &compiler),
            fields: requests.headerFields(fields, nil, &compiler))
        let webSocket = fields.value("websocket").flatMap { self.webSocket($0, &compiler) }
        checkHandshake(fields, request)
        if fields.value("websocket") == nil, !request.fields.contains(where: { $0.name == "accept" }) {
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
        var observer = ObserverSpec(
            name: entry.key, request: request, per: per ?? .user, copies: fields.count("copies") ?? 1,
            users: fields.count("users") ?? 100, event: fields.text("event"))
        observer.webSocket = webSocket
        return observer
    }

    // MARK: WebSockets

    private func webSocket(_ node: YAMLNode, _ compiler: inout TemplateCompiler) -> ObserverSpec.WebSocket? {
        guard let fields = Fields(node, .webSocket, mistakes) else { return nil }
        let subprotocol = fields.text("protocol")
        if let subprotocol, !subprotocol.isToken {
            fields.wrong("protocol", fields.value("protocol")!, "the name of one subprotocol, such as graphql-transport-ws")
        }
        let nodes = fields.items("send")
        var says: [Template] = []
        for node in nodes {
            if let inner = Fields(node, .socketMessage, mistakes), let said = message(inner, &compiler) { says.append(said) }
        }
        return ObserverSpec.WebSocket(
            subprotocol: subprotocol, says: says, joined: fields.value("joined").flatMap(joined),
            beat: fields.value("beat").flatMap { beat($0, &compiler) },
            event: pointer(fields, "event") ?? JSONPointerPath("/event")!)
    }

    private func message(_ fields: Fields, _ compiler: inout TemplateCompiler) -> Template? {
        guard (fields.value("json") == nil) != (fields.value("text") == nil) else {
            mistakes.add("a message is `json` or `text`", hint: "write one of them", at: fields.node.place)
            return nil
        }
        if let json = fields.value("json") { return compiler.compile(json: json) }
        return fields.text("text").map { compiler.compile(text: $0, encoding: .raw, at: fields.value("text")!.place) }
    }

    private func joined(_ node: YAMLNode) -> ObserverSpec.WebSocket.Joined? {
        guard let fields = Fields(node, .socketJoined, mistakes), let at = pointer(fields, "at"), let text = fields.text("is")
        else { return nil }
        return ObserverSpec.WebSocket.Joined(at: at, text: text)
    }

    private func beat(_ node: YAMLNode, _ compiler: inout TemplateCompiler) -> ObserverSpec.WebSocket.Beat? {
        guard let fields = Fields(node, .socketBeat, mistakes), let message = message(fields, &compiler) else { return nil }
        let every = fields.duration("every", .seconds(1)...Fields.longest)
        return ObserverSpec.WebSocket.Beat(message: message, every: every ?? .seconds(25))
    }

    private func pointer(_ fields: Fields, _ key: String) -> JSONPointerPath? {
        guard let text = fields.text(key) else { return nil }
        let pointer = JSONPointerPath(text)
        if pointer == nil { fields.wrong(key, fields.value(key)!, "a JSON pointer into a message, such as /payload/event") }
        return pointer
    }

    /// What the handshake says is the rig's.
    private func checkHandshake(_ fields: Fields, _ request: ProfileCall) {
        guard let node = fields.value("websocket") else { return }
        for name in request.fields.map(\.name) where name == "upgrade" || name.hasPrefix("sec-websocket-") {
            mistakes.add(
                "the header `\(name)` is written by `websocket`", hint: "strike it; a subprotocol is `protocol`",
                at: node.place)
        }
    }
}

extension String {
    /// RFC 9110 §5.6.2, without what no subprotocol has.
    fileprivate var isToken: Bool {
        !isEmpty && utf8.count <= 64
            && utf8.allSatisfy { 48...57 ~= $0 || 65...90 ~= $0 || 97...122 ~= $0 || [43, 45, 46, 95].contains($0) }
    }
}

/// The key `tells` of a call.
struct TellingDecoder {
    let observers: [String]
    let mistakes: Mistakes

    func tellings(_ fields: Fields, used: Set<TemplateVariable>) -> [ExpectedTelling] {
        fields.items("tells").compactMap { node in
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
