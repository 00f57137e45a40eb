// A check as JSON: `check.json`.

package import Basics
import Conformance

extension CheckRecord {
    package var json: JSONValue {
        let exit = exit
        return [
            "format": "pushrig.check", "version": .integer(Int64(Self.version)), "subject": .string(subject),
            "profile": .string(profile), "command": .string(command), "seed": .string(String(seed)),
            "startedAt": .string(startedAt.iso8601), "seconds": .number(duration.seconds),
            "tool": ["version": .string(toolVersion), "commit": .string(commit)],
            "exit": [
                "code": .integer(Int64(exit.code)), "word": .string(exit.word), "reasons": RunRecord.texts(exit.reasons),
            ],
            "cases": .array(cases.map(\.json)), "rules": .array(rules.map(\.json)),
        ]
    }
}

extension CaseResult {
    var json: JSONValue {
        [
            "name": .string(name), "question": .string(question), "verdict": .string(verdict.rawValue),
            "reasons": RunRecord.texts(reasons), "exercises": RunRecord.texts(exercises),
            "scenario": scenario.map { .string($0) } ?? .null, "directory": directory.map { .string($0) } ?? .null,
            "command": command.map { .string($0) } ?? .null, "seconds": .number(duration.seconds),
            "attempts": .integer(Int64(attempts)),
            "rules": .array(
                rules.filter { $0.standing != .notExercised }.map {
                    ["id": .string($0.id), "standing": .string($0.standing.rawValue)]
                }),
            "findings": .array(broken.map { $0.json(in: directory ?? "") }),
        ]
    }
}

extension CheckRecord.RuleSum {
    var json: JSONValue {
        [
            "id": .string(rule.id), "claims": RunRecord.texts(rule.claims), "level": .string(rule.level.rawValue),
            "requirement": .string(rule.requirement), "standing": .string(standing.rawValue),
            "keptIn": RunRecord.texts(keptIn), "brokenIn": RunRecord.texts(brokenIn),
        ]
    }
}
