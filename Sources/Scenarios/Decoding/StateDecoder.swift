// The key `state` of a profile: how the relay is asked which tokens it holds.

import Basics
import YAML

struct StateDecoder {
    /// How a request is read.
    let requests: CallDecoder
    let mistakes: Mistakes

    private static let sources = ["sqlite", "postgres", "http"]

    func state(_ fields: Fields) -> StateSpec? {
        guard let node = fields.value("state"), let inner = Fields(node, .state, mistakes) else { return nil }
        let given = Self.sources.filter { inner.value($0) != nil }
        guard given.count == 1 else {
            mistakes.add(
                given.isEmpty ? "`state` does not say whom to ask" : "`state` asks `\(given[0])` or `\(given[1])`, not both",
                hint: "write one of \(Self.sources.joined(separator: ", "))", at: node.place)
            return nil
        }
        let asked = inner.value(given[0])!
        let source: StateSpec.Source? =
            switch given[0] {
            case "sqlite": inner.text("sqlite").map { .sqlite(file: path($0, at: asked.place)) }
            case "postgres": postgres(asked).map { .postgres($0) }
            default: endpoint(asked).map { .http($0) }
            }
        let roles: [(String, SessionVariable)] = [
            ("activity", .activityToken), ("start", .startToken), ("device", .deviceToken),
            ("registration", .registrationToken), ("widget", .widgetToken),
            ("control", .controlToken),
        ]
        let tables = roles.compactMap { key, role in inner.text(key).map { StateSpec.Table(role: role, query: $0) } }
        if tables.isEmpty {
            mistakes.add(
                "`state` asks for no tokens",
                hint: "add `activity: SELECT token FROM …`, `start`, `device`, `registration`, `widget` or `control`",
                at: node.place)
        }
        guard let source else { return nil }
        check(tables, of: source, at: node.place)
        return StateSpec(
            source: source, every: inner.duration("every", .milliseconds(100)...Fields.longest) ?? .seconds(1), tables: tables)
    }

    private func path(_ file: String, at place: YAMLPlace) -> String {
        for name in LaunchTemplate.names(in: file) where !LaunchTemplate.variables.contains(name) {
            mistakes.add("unknown variable `\(name)`", hint: suggestion(for: name, in: LaunchTemplate.variables), at: place)
        }
        return file
    }

    private func postgres(_ node: YAMLNode) -> KeptSecret? {
        guard let fields = Fields(node, .statePostgres, mistakes), let url = fields.value("url") else { return nil }
        guard case .mapping = url.content else {
            mistakes.add(
                "a connection string has no place in a file that the journal keeps",
                hint: "write `{ env: NAME }` or `{ file: PATH }`", at: url.place)
            return nil
        }
        return SecretDecoder(files: requests.auths.files, mistakes: mistakes).kept(url)
    }

    private func endpoint(_ node: YAMLNode) -> StateSpec.Endpoint? {
        guard let fields = Fields(node, .stateEndpoint, mistakes) else { return nil }
        // It belongs to no session and no call, so there is nothing of one that it could say.
        var compiler = TemplateCompiler(ownNames: [], mistakes: mistakes)
        var request = ProfileCall(
            name: "state", method: "GET", path: requests.path(fields, &compiler),
            fields: requests.headerFields(fields, nil, &compiler))
        request.auth = requests.auths.auth(fields.value("auth"), &compiler)
        if !compiler.used.allSatisfy({ if case .now = $0 { true } else { false } }) {
            mistakes.add(
                "who asks for `state` has no session, so that no variable has a value there",
                hint: "take `auth: none`, or a secret by `{ env: NAME }` or `{ file: PATH }`", at: node.place)
        }
        guard let rows = pointer(fields, "rows"), let token = pointer(fields, "token") else { return nil }
        return StateSpec.Endpoint(
            request: request, rows: rows, token: token, kind: fields.value("kind") == nil ? nil : pointer(fields, "kind"))
    }

    private func pointer(_ fields: Fields, _ key: String) -> JSONPointerPath? {
        guard let node = fields.value(key) else { return nil }
        guard case .scalar(let text, _) = node.content, let pointer = JSONPointerPath(text) else {
            fields.wrong(key, node, "a JSON pointer, such as /\(key)")
            return nil
        }
        return pointer
    }

    /// Which rows are whose.
    private func check(_ tables: [StateSpec.Table], of source: StateSpec.Source, at place: YAMLPlace) {
        guard case .http(let endpoint) = source, endpoint.kind == nil,
            tables.count > 1 || tables.contains(where: { $0.query != StateSpec.allKinds })
        else { return }
        mistakes.add(
            "without `kind` all rows are of one kind",
            hint: "say where a row has its `kind`, or ask for one: `activity: \"*\"`", at: place)
    }
}
