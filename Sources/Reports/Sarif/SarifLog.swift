// Broken rules and breached gates as SARIF 2.1.0, which code scanning shows beside the lines of a pull request.
// Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0".

import Basics
import Conformance

/// One log with one run. A result's rule never changes its name, and its fingerprint is the same from run to run.
struct SarifLog {
    enum Level: String { case error, warning, note }

    struct Result {
        /// The rule's id, or `gate/` and the metric.
        var rule: String
        var level: Level
        var message: String
        /// What makes it the same result in another run.
        var fingerprint: String
        /// From 1.
        var line: Int
        /// Why it is expected; nil: it is not.
        var suppression: String?
    }

    struct Rule {
        var id: String
        var requirement: String
        var advice: String
    }

    var version: String
    var commandLine: String
    var exitCode: Int32
    var startedAt: WallTime
    var file: SarifFile
    var rules: [Rule] = []
    var results: [Result] = []
    /// Why the run says less than it was asked.
    var doubts: [String] = []

    /// Adds a broken rule, its first finding in words. `scope` tells two results of one rule apart, such as a case's name.
    mutating func add(_ rule: RuleResult, scope: String = "") {
        guard let level = rule.standing.sarifLevel else { return }
        if !rules.contains(where: { $0.id == rule.id }) {
            rules.append(Rule(id: rule.id, requirement: rule.requirement, advice: rule.advice))
        }
        let findings = rule.verdict.findings
        let isHealed = rule.standing == .healed
        let told = isHealed ? "named as a known break, and kept in this run" : findings.first?.line ?? rule.requirement
        var words = (scope.isEmpty ? "" : scope + ": ") + told + ". "
        if findings.count > 1 { words += "\(findings.count - 1) more like it. " }
        if !rule.causes.isEmpty { words += "Follows from \(rule.causes.map(\.rule).joined(separator: ", ")). " }
        words += "Change: " + (isHealed ? "strike it from the known breaks" : rule.change)
        results.append(
            Result(
                rule: rule.id, level: rule.causes.isEmpty ? level : .note, message: words,
                fingerprint: [scope, rule.id].filter { !$0.isEmpty }.joined(separator: "/"),
                line: file.line(ofCall: findings.first?.call?.kind),
                suppression: rule.standing == .knownBroken ? "a known break, named by --known-failing" : nil))
    }

    var json: JSONValue {
        let driver: JSONValue = [
            "name": "pushrig", "version": .string(version), "rules": .array(rules.map(\.json)),
        ]
        let invocation: JSONValue = [
            "commandLine": .string(commandLine), "startTimeUtc": .string(startedAt.iso8601),
            "exitCode": .integer(Int64(exitCode)), "executionSuccessful": .bool(doubts.isEmpty),
            "toolExecutionNotifications": .array(
                doubts.map { ["level": "warning", "message": ["text": .string($0)]] }),
        ]
        let run: JSONValue = [
            "tool": ["driver": driver], "invocations": [invocation], "columnKind": "unicodeCodePoints",
            "results": .array(results.map { $0.json(in: file.uri) }),
        ]
        return [
            "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
            "version": "2.1.0", "runs": [run],
        ]
    }
}

extension SarifLog.Rule {
    var json: JSONValue {
        [
            "id": .string(id), "shortDescription": ["text": .string(requirement)],
            "help": ["text": .string(advice.isEmpty ? requirement : advice)],
        ]
    }
}

extension SarifLog.Result {
    func json(in uri: String) -> JSONValue {
        let place: JSONValue = [
            "physicalLocation": [
                "artifactLocation": ["uri": .string(uri)], "region": ["startLine": .integer(Int64(line))],
            ]
        ]
        var object: JSONObject = [
            "ruleId": .string(rule), "level": .string(level.rawValue), "message": ["text": .string(message)],
            "locations": [place], "partialFingerprints": ["pushrig/v1": .string(fingerprint)],
        ]
        if let suppression {
            object["suppressions"] = [["kind": "external", "justification": .string(suppression)]]
        }
        return .object(object)
    }
}

extension RuleResult.Standing {
    /// Nil: nothing to tell.
    fileprivate var sarifLevel: SarifLog.Level? {
        switch self {
        case .broken, .healed, .knownBroken: .error
        case .warning, .environment: .warning
        case .kept, .notExercised: nil
        }
    }
}
