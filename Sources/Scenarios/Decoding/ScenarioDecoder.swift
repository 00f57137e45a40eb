// The scenario file itself; its parts have decoders of their own.

import Basics
import Devices
import Faults
import YAML

struct ScenarioDecoder {
    let files: FileFinder
    let mistakes: Mistakes

    /// Nil, or a scenario with stand-ins, only when a mistake was noted.
    func scenario(
        _ root: YAMLNode, path: String, text: String, overrides: [String]
    ) throws(Failure) -> Scenario? {
        guard let fields = Fields(root, .scenario, mistakes) else { return nil }
        var relay: RelaySpec?
        if let node = fields.value("relay") {
            relay = try RelayDecoder(files: files, mistakes: mistakes).relay(node)
        }
        var workload: WorkloadSpec?
        if let node = fields.value("workload"), let profile = relay?.profile {
            workload = try WorkloadDecoder(profile: profile, files: files, mistakes: mistakes).workload(node)
        }
        let mock = mock(fields, relay?.profile)
        let faults = faults(fields)
        let phases = phases(fields)
        let gates = gates(fields, relay?.profile)
        let seed = seed(fields)
        let clockScale = fields.number("clockScale") ?? 1
        let budget = fields.duration("latenessBudget", .microseconds(1)...Fields.longest) ?? .milliseconds(10)
        let kind: ClockKind? = fields.choice("clock")
        let isStepped = kind == .stepped
        let steppedUntil = fields.duration("steppedUntil")
        guard let relay, let workload else { return nil }
        checkSteps(fields, isStepped: isStepped, relay, root)
        if clockScale != 1 || isStepped, relay.launch != nil, !relay.isToldTheClock {
            mistakes.add(
                isStepped
                    ? "the relay would not follow a clock that is stepped"
                    : "the relay would not follow a clock that runs \(clockScale) times as fast",
                hint: "hand it the mock's clock, such as `--clock, \"{{mock.clock}}\"` in `launch`, or strike "
                    + "`\(isStepped ? "clock" : "clockScale")` (docs/time.md)",
                at: fields.value(isStepped ? "clock" : "clockScale")?.place ?? root.place)
        }
        var scenario = Scenario(
            name: fields.text("name") ?? FileFinder.stem(of: path), path: path, text: text, overrides: overrides,
            sources: [SourceText(path: path, text: text)] + files.sources, seed: seed, clockScale: clockScale,
            relay: relay, mock: mock, workload: workload, faults: faults, phases: phases, gates: gates,
            latenessBudget: budget)
        if isStepped, phases.until != nil {
            mistakes.add(
                "a clock that is stepped waits for nobody, and so does its warm-up", hint: "strike `until`",
                at: fields.value("phases")?["until"]?.place ?? root.place)
        }
        if workload.closedUsers != nil, mock.tokens == .registered {
            mistakes.add(
                "closed users go without registered tokens: how many sessions begin is not known before",
                hint: "strike `tokens`, or give a rate", at: fields.value("mock")?["tokens"]?.place ?? root.place)
        }
        scenario.isStepped = isStepped
        scenario.steppedUntil = steppedUntil
        scenario.exercises = fields.value("exercises") == nil ? [] : fields.texts("exercises")
        scenario.knownFailing = fields.value("knownFailing") == nil ? [] : fields.texts("knownFailing")
        scenario.convicts = fields.value("convicts") == nil ? [] : fields.texts("convicts")
        scenario.places.convicts = places(fields, "convicts")
        scenario.places.gates = places(fields, "gates")
        scenario.places.exercises = places(fields, "exercises")
        scenario.places.knownFailing = places(fields, "knownFailing")
        scenario.isStrict = fields.flag("strict") ?? false
        scenario.inFlightGrace = fields.duration("inFlightGrace") ?? .seconds(1)
        return scenario
    }

    /// What of a scenario has no meaning where the clock is, or is not, stepped.
    private func checkSteps(_ fields: Fields, isStepped: Bool, _ relay: RelaySpec, _ root: YAMLNode) {
        if isStepped, fields.value("steppedUntil") == nil, let node = fields.value("clockScale") {
            mistakes.add(
                "a clock that is stepped to the end does not run, so that `clockScale` means nothing",
                hint: "strike it, or say `steppedUntil`", at: node.place)
        }
        if !isStepped, let node = fields.value("steppedUntil") {
            mistakes.add("`steppedUntil` needs `clock: stepped`", hint: "add it, or strike `steppedUntil`", at: node.place)
        }
        if isStepped, let node = fields.value("workload")?["loops"], node.plainValue != .integer(1) {
            mistakes.add(
                "several loops cannot take part in a clock that is stepped",
                hint: "strike `loops`, or use `clockScale` instead", at: node.place)
        }
        if isStepped, relay.processes > 1 {
            mistakes.add(
                "a relay of several processes cannot take part in a clock that is stepped",
                hint: "strike `processes`, or use `clockScale` instead", at: fields.value("clock")?.place ?? root.place)
        }
    }

    private func places(_ fields: Fields, _ key: String) -> [String] { fields.items(key).map(\.place.description) }

    private func faults(_ fields: Fields) -> [ScheduledFault] {
        var ids: Set<String> = []
        return fields.items("faults").enumerated().compactMap { index, node in
            guard let fault = FaultDecoder(mistakes: mistakes).fault(node, number: index + 1) else { return nil }
            if !fault.rule.id.isEmpty, !ids.insert(fault.rule.id).inserted {
                mistakes.add(
                    "two faults have the id `\(fault.rule.id)`: the later would take the earlier one's place",
                    hint: "give each an id of its own, or none", at: node["id"]?.place ?? node.place)
            }
            return fault
        }
    }

    private func seed(_ fields: Fields) -> UInt64? {
        guard let node = fields.value("seed") else { return nil }
        guard case .scalar(let text, _) = node.content, let seed = UInt64(text) else {
            fields.wrong("seed", node, "a whole number from 0 to 18446744073709551615")
            return nil
        }
        return seed
    }

    private func mock(_ fields: Fields, _ profile: Profile?) -> MockSpec {
        var mock = MockSpec(topics: profile.map { [$0.topic] } ?? [])
        guard let node = fields.value("mock"), let inner = Fields(node, .mock, mistakes) else { return mock }
        if let loops = inner.count("loops") { mock.loops = loops }
        if let tokens: MockSpec.Tokens = inner.choice("tokens") { mock.tokens = tokens }
        if let environment: MockSpec.Environment = inner.choice("environment") { mock.environment = environment }
        mock.state = inner.text("state")
        mock.apns = inner.address("apns")
        mock.sandbox = inner.address("sandbox")
        mock.admin = inner.address("admin")
        mock.fcm = inner.address("fcm")
        mock.names = inner.texts("names")
        if mock.sandbox != nil, mock.environment != .both, let node = inner.value("sandbox") {
            mistakes.add(
                "`sandbox` is an address of nothing: this mock plays one environment, at `apns`",
                hint: "add `environment: both`", at: node.place)
        }
        for entry in inner.entries("settings") {
            guard case .scalar(let text, _) = entry.value.content else {
                mistakes.add(
                    "the setting `\(entry.key)` must have one text as its value",
                    hint: "such as `tokenUpdateScope: connection`", at: entry.value.place)
                continue
            }
            do throws(Failure) {
                var probe = AllSettings()
                try probe.set(entry.key, to: text)
                mock.settings[entry.key] = text
            } catch {
                mistakes.add(error.message, hint: error.hint, at: entry.value.place)
            }
        }
        mock.clockSkew = skew(inner, "clockSkew", minus: "when the mock is behind") ?? .zero
        mock.clockSteps = inner.items("clockSteps").compactMap { clockStep($0) }.sorted { $0.at < $1.at }
        if let node = inner.value("topics") {
            mock.topics = inner.texts("topics")
            if let topic = profile?.topic, !mock.topics.isEmpty, !mock.topics.contains(topic) {
                mistakes.add(
                    "`topics` leaves out \(topic), the profile's: every push would be refused with 400 TopicDisallowed",
                    hint: "add \(topic) to the list", at: node.place)
            }
        }
        return mock
    }

    /// May have a minus.
    private func skew(_ fields: Fields, _ key: String, minus: String) -> Interval? {
        guard let text = fields.text(key), let node = fields.value(key) else { return nil }
        let isBehind = text.hasPrefix("-")
        guard let interval = Interval(parsing: isBehind ? String(text.dropFirst()) : text), ClockBounds.admits(skew: interval)
        else {
            fields.wrong(key, node, "a duration of at most 36500d, with a minus \(minus)")
            return nil
        }
        return isBehind ? .zero - interval : interval
    }

    private func clockStep(_ node: YAMLNode) -> ClockStep? {
        guard let fields = Fields(node, .clockStep, mistakes), let at = fields.duration("at"),
            let by = skew(fields, "by", minus: "where it is set back")
        else { return nil }
        return ClockStep(at: at, by: by)
    }

    private func phases(_ fields: Fields) -> PhaseSpec {
        let usual = PhaseSpec()
        guard let node = fields.value("phases"), let inner = Fields(node, .phases, mistakes) else { return usual }
        var phases = PhaseSpec(
            warmUp: inner.duration("warmUp") ?? usual.warmUp, drain: inner.duration("drain") ?? usual.drain)
        // `null` takes back what another file says.
        guard let node = inner.value("until"), node.plainValue != .null, let text = inner.text("until") else { return phases }
        do throws(Failure) {
            let gate = try Gate(parsing: text)
            if let (words, hint) = phases.objection(toWaitingFor: gate) { mistakes.add(words, hint: hint, at: node.place) }
            phases.until = gate
        } catch {
            mistakes.add(error.message, hint: error.hint, at: node.place)
        }
        return phases
    }

    private func gates(_ fields: Fields, _ profile: Profile?) -> [Gate] {
        let kinds = profile.map { $0.calls.filter { !$0.pushes.isEmpty }.map(\.name) }
        var gates: [Gate] = []
        for node in fields.items("gates") {
            guard let (text, aborts) = gate(node, fields) else { continue }
            do throws(Failure) {
                var gate = try Gate(parsing: text, kinds: kinds)
                gate.aborts = aborts
                gates.append(gate)
            } catch {
                mistakes.add(error.message, hint: error.hint, at: node.place)
            }
        }
        return gates
    }

    /// Its text alone, or with whether the load ends as soon as it can hold no more.
    private func gate(_ node: YAMLNode, _ fields: Fields) -> (text: String, aborts: Bool)? {
        switch node.content {
        case .scalar(let text, _): return (text, false)
        case .mapping:
            guard let inner = Fields(node, .gate, mistakes), let text = inner.text("gate") else { return nil }
            return (text, inner.flag("abort") ?? false)
        case .sequence:
            fields.wrong("gates", node, "a list of gates, each a text or a mapping such as `{ gate: lost == 0 }`")
            return nil
        }
    }
}
