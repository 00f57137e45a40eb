// The relay section: profile, launch and lifecycle.

import Basics
import OperatingSystem
import YAML

struct RelayDecoder {
    let files: FileFinder
    let mistakes: Mistakes

    func relay(_ node: YAMLNode) throws(Failure) -> RelaySpec? {
        guard let fields = Fields(node, .relay, mistakes), let named = fields.value("profile"),
            let source = try files.node(named, key: "profile", mistakes),
            let profile = try ProfileDecoder(
                files: files, mistakes: mistakes, hasMalformed: fields.flag("malformed") ?? false)
                .profile(source.node.replacing(fields.entries("with")), fallbackName: source.name)
        else { return nil }
        let launches = launchNode(fields) != nil
        if !launches, fields.value("url") == nil {
            mistakes.add(
                "`relay` says neither how to launch it nor where it runs",
                hint: "add `launch: […]` or `url: http://…`",
                at: node.place)
        }
        var relay = RelaySpec(
            profile: profile, launch: launch(fields), url: url(fields), listen: fields.address("listen") ?? "127.0.0.1:0",
            environment: environment(fields), ready: ready(fields), stop: stop(fields), restarts: restarts(fields))
        relay.tls = tls(fields, relay.url)
        relay.processes = fields.count("processes") ?? 1
        relay.clock = fields.choice("clock") ?? .none
        if relay.clock != .none, !relay.isToldTheClock {
            mistakes.add(
                "`clock` says that the relay can share one, but nothing hands it over",
                hint: "add `--clock, \"{{mock.clock}}\"` to `launch`, or as the relay wants it (docs/time.md)",
                at: fields.value("clock")?.place ?? node.place)
        }
        return relay
    }

    /// `null` takes back what another file or an earlier `--set` says.
    private func launchNode(_ fields: Fields) -> YAMLNode? {
        fields.value("launch").flatMap { $0.plainValue == .null ? nil : $0 }
    }

    private func launch(_ fields: Fields) -> [String]? {
        guard let node = launchNode(fields) else { return nil }
        if case .scalar(let text, _) = node.content {
            let words = text.split(whereSeparator: \.isWhitespace).map { "\"\($0)\"" }.joined(separator: ", ")
            mistakes.add(
                "`launch` must be a list of words, not one text", hint: "write `launch: [\(words)]`", at: node.place)
            return nil
        }
        if case .sequence(let items) = node.content {
            for item in items { checkVariables(item, beside: [LaunchTemplate.folder]) }
        }
        let folder = FileFinder.folder(of: node.place.file)
        return fields.texts("launch").map { word in
            LaunchTemplate.fill(word) { $0 == LaunchTemplate.folder ? FileSystem.absolute(folder) ?? folder : nil }
        }
    }

    private func url(_ fields: Fields) -> String {
        guard let text = fields.text("url"), let node = fields.value("url") else { return "http://{{relay.listen}}" }
        checkVariables(node)
        let host = text.hasPrefix("http://") ? text.dropFirst(7) : text.hasPrefix("https://") ? text.dropFirst(8) : ""
        if !text.hasPrefix("unix:/"), host.isEmpty || host.contains("/") {
            mistakes.add(
                "`url` must be http://host:port, https://host:port or unix:/path, not `\(text)`",
                hint: "paths belong into the profile's calls", at: node.place)
        } else if launchNode(fields) == nil, text.contains("{{relay."),
            LaunchTemplate.names(in: text).allSatisfy(LaunchTemplate.variables.contains)
        {
            mistakes.add(
                "`url` names {{relay.…}}, which only a launched relay has",
                hint: "write the address, or add `launch`",
                at: node.place)
        }
        return text
    }

    private func tls(_ fields: Fields, _ url: String) -> RelayTLS? {
        guard let node = fields.value("tls"), let inner = Fields(node, .relayTLS, mistakes) else { return nil }
        if !url.hasPrefix("https://") {
            mistakes.add("`tls` is for a relay at https", hint: "write `url: https://…`, or strike `tls`", at: node.place)
        }
        let tls = RelayTLS(
            ca: file(inner, "ca"), certificate: file(inner, "certificate"), key: file(inner, "key"),
            serverName: inner.text("serverName"))
        if (tls.certificate == nil) != (tls.key == nil) {
            mistakes.add(
                "a client certificate has its key beside it", hint: "write both `certificate` and `key`", at: node.place)
        }
        return tls
    }

    /// Beside the file that names it, unless it is absolute or begins with a variable.
    private func file(_ fields: Fields, _ key: String) -> String? {
        guard let text = fields.text(key), let node = fields.value(key) else { return nil }
        checkVariables(node)
        if text.hasPrefix("/") || text.hasPrefix("{{") { return text }
        return files.beside(text, namedIn: node.place.file)
    }

    private func environment(_ fields: Fields) -> [(name: String, value: String)] {
        fields.entries("environment").compactMap { entry in
            guard case .scalar(let text, _) = entry.value.content, !entry.key.isEmpty, !entry.key.contains("=") else {
                mistakes.add(
                    "the environment variable `\(entry.key)` must have one text as its value",
                    hint: "such as `LOG: debug`",
                    at: entry.value.place)
                return nil
            }
            checkVariables(entry.value)
            return (entry.key, text)
        }
    }

    private func ready(_ fields: Fields) -> ReadySpec {
        guard let node = fields.value("ready"), let inner = Fields(node, .ready, mistakes) else { return ReadySpec() }
        let usual = ReadySpec()
        let path = inner.text("path") ?? usual.path
        if !path.hasPrefix("/") { inner.wrong("path", inner.value("path")!, "a path that begins with /") }
        let method = inner.text("method") ?? usual.method
        if method.isEmpty || !method.utf8.allSatisfy({ 65...90 ~= $0 }) {
            inner.wrong("method", inner.value("method")!, "a method in capitals, such as HEAD")
        }
        return ReadySpec(
            method: method, path: path, statuses: readyStatuses(inner) ?? usual.statuses,
            timeout: inner.duration("timeout", .milliseconds(1)...Fields.longest) ?? usual.timeout)
    }

    /// Nil: nothing is said; nil within: any answer.
    private func readyStatuses(_ fields: Fields) -> Set<Int>?? {
        guard let node = fields.value("status") else { return nil }
        if case .scalar("any", _) = node.content { return .some(nil) }
        var nodes = [node]
        if case .sequence(let items) = node.content { nodes = items }
        let statuses = nodes.compactMap { item -> Int? in
            item.plainValue?.int.flatMap { 200...599 ~= $0 ? Int($0) : nil }
        }
        if statuses.isEmpty || statuses.count < nodes.count || nodes.count > 400 {
            fields.wrong("status", node, "any, or a status from 200 to 599, or a list of them")
        }
        return Set(statuses)
    }

    private func stop(_ fields: Fields) -> StopSpec {
        guard let node = fields.value("stop"), let inner = Fields(node, .stop, mistakes) else { return StopSpec() }
        let usual = StopSpec()
        return StopSpec(signal: inner.choice("signal") ?? usual.signal, grace: inner.duration("grace") ?? usual.grace)
    }

    private func restarts(_ fields: Fields) -> [RelayRestart] {
        let items = fields.items("restarts")
        if let first = items.first, launchNode(fields) == nil {
            mistakes.add(
                "only a launched relay can be restarted", hint: "add `launch`, or strike `restarts`", at: first.place)
        }
        let restarts = items.compactMap { node -> RelayRestart? in
            guard let inner = Fields(node, .restart, mistakes), let at = inner.duration("at") else { return nil }
            return RelayRestart(
                at: at, signal: inner.choice("signal") ?? .kill, down: inner.duration("down") ?? .zero)
        }
        return restarts.sorted { $0.at < $1.at }
    }

    private func checkVariables(_ node: YAMLNode, beside more: [String] = []) {
        guard case .scalar(let text, _) = node.content else { return }
        for name in LaunchTemplate.names(in: text) where !(LaunchTemplate.variables + more).contains(name) {
            mistakes.add(
                "unknown variable `\(name)`", hint: suggestion(for: name, in: LaunchTemplate.variables),
                at: node.place)
        }
    }
}

extension YAMLNode {
    /// The mapping with these entries in the place of its own of the same keys.
    fileprivate func replacing(_ entries: [YAMLEntry]) -> YAMLNode {
        guard case .mapping(let own) = content, !entries.isEmpty else { return self }
        let kept = own.filter { entry in !entries.contains { $0.key == entry.key } }
        return YAMLNode(.mapping(kept + entries), at: place)
    }
}
