// The keys that each kind of mapping may have, from the rows of docs/scenario.schema.json, which is compiled in. The decoder
// reads no other key; the tables of docs/scenarios.md are written from the same rows.

package import Basics

/// One kind of mapping, by its name among the schema's `$defs`.
package enum Shape: String, CaseIterable {
    case scenario, relay, relayTLS, ready, stop, restart, mock, clockStep, workload, users, feeder,
        phones, androids, arrival, scriptUse, fault, phases, gate, profile, profileCase, observer,
        webSocket, socketMessage, socketJoined, socketBeat, telling, webhooks, webhookPlace,
        webhookAnswer, hook, state, statePostgres, stateEndpoint, coalescing, dedupe, cap, deadlines,
        activities, activityRestart, activityEnd, schemas, pass, carried, call, capture, answer,
        retries, push, declared, pushMessage, pushHeaders, pushExpiration, pushAlert, pushDate, auth,
        authBasic, authHeader, hmac, signedTime, signedDigest, signedText, jwt, sigv4, oauth2, batch,
        secret, joinedSecret, secrets, session, step, arm, reaction, act, distribution, logNormal

    package struct Key: Sendable {
        package var name: String
        package var isRequired: Bool
        /// What the schema says of its value.
        package var row: JSONValue

        /// A value that fits, for hints.
        package var example: String { row["examples"]?.array?.first.map(\.flow) ?? "…" }
        /// Bounds of a count.
        var counts: ClosedRange<Int64> {
            let row = kind("integer")
            return (row["minimum"]?.int ?? 0)...(row["maximum"]?.int ?? .max)
        }
        /// Bounds of a number, of which `above` itself is none.
        var numbers: (above: Double?, range: ClosedRange<Double>) {
            let row = kind("number")
            let above = row["exclusiveMinimum"]?.double
            return (above, (row["minimum"]?.double ?? above ?? 0)...(row["maximum"]?.double ?? .greatestFiniteMagnitude))
        }
        /// Bounds of a list's length: at most 1,000 where the row says nothing.
        var lengths: ClosedRange<Int> {
            let row = kind("array")
            return Int(row["minItems"]?.int ?? 0)...Int(row["maxItems"]?.int ?? 1_000)
        }

        /// The row, or the one of its alternatives, that speaks of values of this type.
        private func kind(_ type: String) -> JSONValue {
            let row = row["$ref"]?.string.flatMap { Shape.schema.at(pointer: String($0.dropFirst())) } ?? row
            guard let kind = ([row] + (row["anyOf"]?.array ?? [])).first(where: { $0["type"]?.string == type }) else {
                preconditionFailure("the schema says of `\(name)` nothing about values of type \(type)")
            }
            return kind
        }
    }

    package var name: String { rawValue }
    package var keys: [Key] { Self.rows[self]! }

    func key(_ name: String) -> Key? { keys.first { $0.name == name } }

    /// The whole schema.
    package static let schema: JSONValue = {
        do {
            return try JSONValue(parsing: compiledFile("scenario.schema.json"))
        } catch {
            preconditionFailure("docs/scenario.schema.json: \(error)")
        }
    }()

    private static let rows: [Shape: [Key]] = Dictionary(
        uniqueKeysWithValues: allCases.map { shape in
            let definition = schema["$defs"]?[shape.rawValue]
            // What is required may stand in the file that is extended.
            let required = definition?["required"]?.array ?? definition?["else"]?["required"]?.array
                ?? definition?["x-required"]?.array ?? []
            return (
                shape,
                (definition?["properties"]?.object ?? JSONObject()).map { name, row in
                    Key(name: name, isRequired: required.contains(.string(name)), row: row)
                }
            )
        })
}

extension JSONValue {
    /// The value as YAML in one line, as a scenario has it.
    package var flow: String {
        switch self {
        case .string(let word): word.isPlain ? word : text
        case .array(let items): "[" + items.map(\.flow).joined(separator: ", ") + "]"
        case .object(let members):
            members.isEmpty ? "{}" : "{ " + members.map { "\($0.key): \($0.value.flow)" }.joined(separator: ", ") + " }"
        default: text
        }
    }
}

extension String {
    /// Whether it is the same text in YAML without quotes.
    fileprivate var isPlain: Bool {
        guard let first, first.isLetter || first.isNumber || "/.-…❌💻".contains(first) else { return false }
        return last != " " && last != ":" && allSatisfy { !"{}[],\"\\".contains($0) } && !contains(": ") && !contains(" #")
            && Double(self) == nil && !["true", "false", "null"].contains(self)
    }
}
