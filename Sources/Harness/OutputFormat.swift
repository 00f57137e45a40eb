// What a verb prints at its end.

/// `sarif` is for code scanning: SARIF 2.1.0.
package enum OutputFormat: String, CaseIterable, Sendable {
    case text, json, sarif
}
