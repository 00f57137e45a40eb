// The exchanges behind findings: looked up in the journal by the ids that findings name, and cut to what a page can hold.

import Basics
import Conformance
import Journal
import Pushes

struct Evidence {
    private static let mostPayload = 2_048
    /// Of one rule's findings.
    private static let mostFindings = 5

    let reader: JournalReader
    let origin: Instant

    /// The results with the exchanges of their first findings.
    func complete(_ results: [RuleResult]) throws(Failure) -> [RuleResult] {
        var results = results
        var wanted: Set<UInt64> = []
        for result in results {
            for finding in result.verdict.findings.prefix(Self.mostFindings) { wanted.formUnion(finding.entries) }
        }
        guard !wanted.isEmpty else { return results }
        var found: [UInt64: Exchange] = [:]
        _ = try reader.forEach(since: nil) { entry in
            if let push = entry.request, wanted.contains(push.id) { found[push.id] = exchange(push) }
            return found.count < wanted.count
        }
        for index in results.indices {
            guard case .broken(var findings, let count) = results[index].verdict else { continue }
            for place in findings.indices.prefix(Self.mostFindings) {
                findings[place].exchanges = findings[place].entries.compactMap { found[$0] }
            }
            results[index].verdict = .broken(findings, count: count)
        }
        return results
    }

    private func exchange(_ push: PushEntry) -> Exchange {
        let body = String(decoding: push.payload.prefix(Self.mostPayload), as: UTF8.self)
        let answer = push.status == 0 ? "no answer" : "\(push.status)" + (push.reason.map { " \($0)" } ?? "")
        return Exchange(
            entry: push.id, at: push.arrivedAt - origin,
            request: push.headers.map { $0.name == "authorization" ? "authorization: bearer …" : "\($0.name): \($0.value)" },
            payload: push.payload.count > Self.mostPayload ? body + "…" : body, answer: answer,
            device: push.outcome.map { "\($0.word)" } ?? "")
    }
}

extension Verdict {
    /// Cuts each token in an exchange to its first eight characters.
    package mutating func shortenTokens() {
        guard case .broken(var findings, let count) = self else { return }
        for index in findings.indices {
            for place in findings[index].exchanges.indices {
                let request = findings[index].exchanges[place].request
                findings[index].exchanges[place].request = request.map(Self.shortPath)
            }
        }
        self = .broken(findings, count: count)
    }

    private static func shortPath(_ field: String) -> String {
        guard field.hasPrefix(":path: /3/device/") else { return field }
        let prefix = ":path: /3/device/"
        return prefix + field.dropFirst(prefix.count).prefix(8) + "…"
    }
}
