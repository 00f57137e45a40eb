// The record as JSON; docs/compare.schema.json describes the shape. Units stand in the names or beside the figures.

package import Basics
import Conformance
import Metrics
import Verdicts

extension ComparisonRecord {
    /// What `compare.json` holds. The seed is a string, since it may need 64 bits.
    package var json: JSONValue {
        [
            "format": "pushrig.compare",
            "version": .integer(Int64(Self.version)),
            "exit": ["code": .integer(Int64(exit.code)), "word": .string(exit.word), "reasons": Self.texts(exit.reasons)],
            "name": .string(name), "profile": .string(profile), "toolVersion": .string(toolVersion),
            "command": .string(command), "design": .string(design.rawValue), "seed": .string(String(seed)),
            "margin": ["share": .number(margin.share), "nanoseconds": .integer(margin.duration.nanoseconds)],
            "base": base.json, "new": new.json,
            "metrics": .array(metrics.map(\.json)), "counts": .array(counts.map(\.json)), "rules": .array(rules.map(\.json)),
            "percentiles": .array(percentiles.map(\.json)), "uses": .array(uses.map(\.json)),
            "remarks": Self.texts(remarks), "firstDifference": firstDifference.map { .string($0) } ?? .null,
            "selfCheck": selfCheck?.json ?? .null,
        ]
    }

    static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
    static func number(_ value: Double?) -> JSONValue { value.flatMap { $0.isFinite ? .number($0) : nil } ?? .null }
}

extension ComparisonRecord.Side {
    fileprivate var json: JSONValue {
        ["runs": .array(
            runs.map { run in
                [
                    "directory": .string(run.directory), "startedAt": .string(run.startedAt.iso8601),
                    "seed": .string(String(run.seed)), "exit": .string(run.exit),
                ]
            })]
    }
}

extension ComparisonRecord.Metric {
    /// Shifts of scale `ratio` are written as ratios, new to base.
    fileprivate var json: JSONValue {
        [
            "name": .string(name), "unit": .string(unit.rawValue), "word": .string(word.rawValue),
            "base": .array(base.map { ComparisonRecord.number($0) }), "new": .array(new.map { ComparisonRecord.number($0) }),
            "betterWhenMore": .bool(isBetterWhenMore), "scale": .string(scale.rawValue),
            "shift": ComparisonRecord.number(told(shift)), "low": ComparisonRecord.number(told(low)),
            "high": ComparisonRecord.number(told(high)), "margin": ComparisonRecord.number(told(margin)),
            "chance": ComparisonRecord.number(chance), "adjustedChance": ComparisonRecord.number(adjustedChance),
            "reason": reason.map { .string($0) } ?? .null,
        ]
    }

    private func told(_ shift: Double?) -> Double? { shift.map(scale.told) }
}

extension ComparisonRecord.Count {
    fileprivate var json: JSONValue {
        [
            "name": .string(name), "word": .string(word.rawValue), "base": .array(base.map { .integer(Int64($0)) }),
            "new": .array(new.map { .integer(Int64($0)) }),
        ]
    }
}

extension ComparisonRecord.Rule {
    fileprivate var json: JSONValue {
        [
            "id": .string(id), "level": .string(level.rawValue), "requirement": .string(requirement),
            "change": .string(change.rawValue), "proven": .bool(isProven),
            "base": .integer(Int64(base)), "new": .integer(Int64(new)),
            "finding": .string(finding), "directory": .string(directory),
        ]
    }
}

extension ComparisonRecord.Percentile {
    fileprivate var json: JSONValue {
        ["name": .string(name), "percentile": .number(percentile), "base": Self.json(base), "new": Self.json(new)]
    }

    private static func json(_ ranked: RankedPercentile?) -> JSONValue {
        guard let ranked else { return .null }
        return [
            "nanoseconds": .integer(ranked.value), "lowNanoseconds": .integer(ranked.low),
            "highNanoseconds": .integer(ranked.high),
        ]
    }
}

extension ComparisonRecord.Use {
    fileprivate var json: JSONValue {
        [
            "name": .string(name), "unit": .string(unit.rawValue), "base": ComparisonRecord.number(base),
            "new": ComparisonRecord.number(new),
        ]
    }
}

extension SelfCheck {
    package var json: JSONValue {
        [
            "splits": .integer(Int64(splits)), "alarms": .integer(Int64(alarms)), "half": .integer(Int64(half)),
            "inOrder": .string(inOrder.rawValue),
        ]
    }
}
