// The workload: arrivals, scripts and their shares.

import Basics
import Glibc
import YAML

struct WorkloadDecoder {
    let profile: Profile
    let files: FileFinder
    let mistakes: Mistakes

    func workload(_ node: YAMLNode) throws(Failure) -> WorkloadSpec? {
        guard let fields = Fields(node, .workload, mistakes) else { return nil }
        let decoder = ArrivalsDecoder(profile: profile, files: files, mistakes: mistakes)
        let arrivals = decoder.stages(fields)
        let phones = fields.value("phones").flatMap { PhonesDecoder(files: files, mistakes: mistakes).phones($0) }
        let androids = fields.value("androids").flatMap {
            AndroidsDecoder(topic: profile.topic, mistakes: mistakes).androids($0)
        }
        let (feeders, columns) = FeederDecoder(files: files, mistakes: mistakes).feeders(fields)
        checkObservers(columns, at: node.place)
        let isThere = (phones: fields.value("phones") != nil, androids: fields.value("androids") != nil)
        var scripts: [WeightedScript] = []
        for item in fields.items("scripts") {
            if let script = try weighted(item, isThere, columns) { scripts.append(script) }
        }
        var spec = WorkloadSpec(
            arrivals: arrivals, scripts: scripts, pace: fields.number("pace") ?? 1,
            users: users(fields), phones: phones, androids: androids,
            maxSessions: fields.count("maxSessions") ?? 1_000_000,
            connections: fields.count("connections") ?? WorkloadSpec.usualConnections,
            requestTimeout: fields.duration("requestTimeout", .milliseconds(1)...Fields.longest) ?? .seconds(30))
        spec.loops = fields.count("loops") ?? 1
        spec.sources = fields.items("sources").compactMap { address(fields, $0) }
        spec.feeders = feeders
        spec.spacing = fields.choice("spacing") ?? .even
        spec.draw = fields.choice("draw") ?? .byWeight
        decoder.check(spec, fields)
        spec.stopAfter = fields.duration("stopAfter", .milliseconds(1)...Fields.longest)
        if spec.phones != nil, !spec.hasSecondPhones(profile) { refuseSecondPhones(scripts) }
        if spec.users.sessionsPerUser > 1, let place = fields.value("users")?.place { refuseForeignCards(spec, at: place) }
        return spec
    }

    /// A name is none.
    private func address(_ fields: Fields, _ item: YAMLNode) -> String? {
        var room = in6_addr()
        guard case .scalar(let text, _) = item.content,
            inet_pton(AF_INET, text, &room) == 1 || inet_pton(AF_INET6, text, &room) == 1
        else {
            fields.wrong("sources", item, "a list of IP addresses, such as 127.0.0.2")
            return nil
        }
        return text
    }

    private func checkObservers(_ columns: FeedColumns, at place: YAMLPlace) {
        guard case .known(let columns) = columns else { return }
        for observer in profile.observers {
            for name in observer.request.neededFeeds.map({ profile.feeds[$0] }) where !columns.contains(name) {
                mistakes.add(
                    "the observer `\(observer.name)` needs {{\(FeedNames.prefix)\(name)}}, and no feeder has that column",
                    hint: "add `feeders: [{ file: users.csv }]`", at: place)
            }
        }
    }

    /// What is done on a phone, or on an Android device, needs one.
    private func refuseActs(of script: SessionScript, _ isThere: (phones: Bool, androids: Bool), at place: YAMLPlace) {
        guard let act = script.acts.first(where: { !($0.isOnAndroid ? isThere.androids : isThere.phones) }) else { return }
        let (what, key) = act.isOnAndroid ? ("Android devices", "androids") : ("phones", "phones")
        mistakes.add(
            "this script has acts, and the workload no \(what) on which they could be done",
            hint: "add `\(key): {}` to the scenario's `workload`, or strike `acts`", at: place)
    }

    private func refuseSecondPhones(_ scripts: [WeightedScript]) {
        for act in scripts.flatMap(\.script.acts) where act.phone == 1 {
            guard let place = act.phonePlace else { continue }
            mistakes.add(
                "a user has one phone here: no call of the workload's scripts registers or pushes to a second one",
                hint: "write `phone: 1`, or add a call with a token of the second phone, such as startToken2", at: place)
        }
    }

    /// Sessions of one user share its phones: what one script begins on a second phone another says nothing of.
    private func refuseForeignCards(_ spec: WorkloadSpec, at place: YAMLPlace) {
        let scripts = spec.scripts.map(\.script)
        guard let two = scripts.first(where: { $0.calls(profile).contains { $0.registers.contains(.startToken2) } }),
            let one = scripts.first(where: { script in
                let calls = script.calls(profile)
                return calls.contains { $0.pushes.contains { $0.token.role == .startToken } }
                    && !calls.contains { $0.registers.contains(.startToken2) }
            })
        else { return }
        mistakes.add(
            "sessions of one user share its phones, and the script `\(two.name)` registers a second one, on which the "
                + "activities of `\(one.name)` start as well, and nothing tells what becomes of them there",
            hint: "let every script register the second phone, or none, or write `sessionsPerUser: 1`", at: place)
    }

    private func users(_ fields: Fields) -> DevicesSpec {
        guard let node = fields.value("users"), let inner = Fields(node, .users, mistakes) else {
            return DevicesSpec()
        }
        return DevicesSpec(sessionsPerUser: inner.count("sessionsPerUser") ?? 1)
    }

    private func weighted(
        _ node: YAMLNode, _ isThere: (phones: Bool, androids: Bool), _ columns: FeedColumns
    ) throws(Failure) -> WeightedScript? {
        guard let fields = Fields(node, .scriptUse, mistakes), let named = fields.value("script") else { return nil }
        let weight = fields.number("weight") ?? 1
        guard let source = try files.node(named, key: "script", mistakes) else { return nil }
        let script = SessionDecoder(profile: profile, mistakes: mistakes, files: files, columns: columns)
            .script(source.node, with: fields.entries("with"), fallbackName: source.name)
        if let place = source.node["phones"]?.place, !isThere.phones {
            mistakes.add(
                "this script says what its phones are like, and the workload has none",
                hint: "add `phones: {}` to the scenario's `workload`, or strike it here", at: place)
        }
        if let place = source.node["reactions"]?.place, !isThere.phones, script?.reactions.isEmpty == false {
            mistakes.add(
                "this script has reactions, and the workload no phones on which anything could happen",
                hint: "add `phones: {}` to the scenario's `workload`, or strike `reactions`", at: place)
        }
        if let place = source.node["acts"]?.place, let script { refuseActs(of: script, isThere, at: place) }
        return script.map { WeightedScript(weight: weight, script: $0) }
    }
}
