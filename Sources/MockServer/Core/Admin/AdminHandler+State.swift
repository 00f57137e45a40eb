// The admin API's answers about the mock as a whole.

import Basics
import Devices
import Pushes

extension AdminHandler {
    func health() -> AdminAnswer {
        guard let failure = shared.failure else { return AdminAnswer(["status": "ok"]) }
        return AdminAnswer(["status": "failing", "message": .string(failure.description)], status: 503)
    }

    func info() -> JSONValue {
        var object = coordinates.json.object ?? JSONObject()
        object["adminToken"] = nil
        object["environment"] = .string(shared.environments[0].word.description)
        object["tokens"] = .string(shared.registration.rawValue)
        object["loops"] = .integer(Int64(shared.loops))
        object["seed"] = .string(shared.seed.description)
        object["journal"] = .string(shared.journalDirectory)
        object["startedAt"] = .string(shared.startedAt.iso8601)
        object["now"] = .string(shared.clock.wall().iso8601)
        var statistics = shared.statistics().json(knownTokens: shared.devices.tokenCount).object ?? JSONObject()
        let counts = shared.channels.counts
        statistics["knownChannels"] = .integer(Int64(counts.channels))
        statistics["broadcasts"] = .integer(Int64(counts.broadcasts))
        object["statistics"] = .object(statistics)
        return .object(object)
    }

    func reset() throws(AdminError) -> AdminAnswer {
        do { try shared.reset() } catch {
            throw AdminError(500, "reset-failed", error.message, hint: error.hint)
        }
        note("reset")
        return .done
    }
}

extension MockStatistics {
    fileprivate func json(knownTokens: Int) -> JSONValue {
        func counts(_ table: [(String, Int)]) -> JSONValue {
            var object = JSONObject()
            for (key, count) in table.sorted(by: { $0.0 < $1.0 }) { object[key] = .integer(Int64(count)) }
            return .object(object)
        }
        return [
            "connectionsOpened": .integer(Int64(connectionsOpened)),
            "connectionsOpen": .integer(Int64(connectionsOpen)),
            "openStreams": .integer(Int64(openStreams)),
            "pushes": .integer(Int64(pushes)),
            "silenced": .integer(Int64(silenced)),
            "undelivered": .integer(Int64(undelivered)),
            "faultsFired": .integer(Int64(faultsFired)),
            "connectionsEndedByFaults": .integer(Int64(connectionsEndedByFaults)),
            "journalBytes": .integer(Int64(journalBytes)),
            "knownTokens": .integer(Int64(knownTokens)),
            "refusals": .object(
                refusals.sorted { $0.key < $1.key }.reduce(into: JSONObject()) { object, listener in
                    object[listener.key] = counts(listener.value.map { ($0.key, $0.value) })
                }),
            "byStatus": counts(byStatus.map { (String($0.key), $0.value) }),
            "byReason": counts(byReason.map { ($0.key, $0.value) }),
            "byOutcome": counts(byOutcome.map { ($0.key, $0.value) }),
        ]
    }
}
