// The settings of the rules by name, for command lines, scenario files and embedders.

package import Basics

/// One row: a field of `APNsSettings`, what may be given for it, and what it means.
package struct SettingRow: Sendable {
    /// As the field.
    package let name: String
    /// What may be given, such as `true|false`.
    package let values: String
    /// One line.
    package let explanation: String
    private let read: @Sendable (APNsSettings) -> String
    private let write: @Sendable (inout APNsSettings, String) -> Bool

    package func value(in settings: APNsSettings) -> String { read(settings) }

    fileprivate func set(_ text: String, in settings: inout APNsSettings) -> Bool { write(&settings, text) }

    fileprivate init(
        _ name: String, _ values: String, _ explanation: String, read: @escaping @Sendable (APNsSettings) -> String,
        write: @escaping @Sendable (inout APNsSettings, String) -> Bool
    ) {
        self.name = name
        self.values = values
        self.explanation = explanation
        self.read = read
        self.write = write
    }

    fileprivate static func flag(
        _ name: String, _ field: any WritableKeyPath<APNsSettings, Bool> & Sendable, _ explanation: String
    ) -> SettingRow {
        SettingRow(name, "true|false", explanation, read: { "\($0[keyPath: field])" }) { settings, text in
            guard let value = Bool(text) else { return false }
            settings[keyPath: field] = value
            return true
        }
    }

    fileprivate static func word<T: CaseIterable & RawRepresentable<String> & SendableMetatype>(
        _ name: String, _ field: any WritableKeyPath<APNsSettings, T> & Sendable, _ explanation: String
    ) -> SettingRow {
        let words = T.allCases.map(\.rawValue).joined(separator: "|")
        return SettingRow(name, words, explanation, read: { $0[keyPath: field].rawValue }) { settings, text in
            guard let value = T(rawValue: text) else { return false }
            settings[keyPath: field] = value
            return true
        }
    }

    fileprivate static func interval(
        _ name: String, _ field: any WritableKeyPath<APNsSettings, Interval> & Sendable, _ explanation: String
    ) -> SettingRow {
        SettingRow(name, "a duration such as 20m", explanation, read: { $0[keyPath: field].description }) {
            settings, text in
            guard let value = Interval(parsing: text), value > .zero else { return false }
            settings[keyPath: field] = value
            return true
        }
    }
}

extension APNsSettings {
    package static let table: [SettingRow] = [
        .flag("enforceTokenUpdateRate", \.enforceTokenUpdateRate, "429 for a third provider token within the interval"),
        .interval("tokenUpdateInterval", \.tokenUpdateInterval, "how long two provider tokens must last"),
        .word("tokenUpdateScope", \.tokenUpdateScope, "whose provider tokens are counted together"),
        .flag(
            "updateRateBlocksConnection", \.updateRateBlocksConnection,
            "after that 429 the connection is of no use until the interval is over"),
        .flag(
            "wedgesAfterExpiredToken", \.wedgesAfterExpiredToken,
            "after ExpiredProviderToken only a new connection helps"),
        .interval("providerTokenLifetime", \.providerTokenLifetime, "the greatest distance of a token's iat from now"),
        .word("futureIssuedAt", \.futureIssuedAt, "what a token issued further in the future is"),
        .word("topicBinding", \.topicBinding, "which topics a connection's first push binds it to"),
        .flag("judgesCertificates", \.judgesCertificates, "whether client certificates are judged or overlooked"),
        SettingRow(
            "internalErrorAfter", "a number or never", "requests on a token connection until each one is answered 500",
            read: { $0.internalErrorAfter.map(String.init) ?? "never" },
            write: { settings, text in
                let number = Int(text)
                guard text == "never" || number.map({ $0 >= 0 }) == true else { return false }
                settings.internalErrorAfter = number
                return true
            }),
        .word("streamLimit", \.streamLimit, "whether streams beyond the announced limit are served or refused"),
        .flag(
            "rejectionDropsStreamLimit", \.rejectionDropsStreamLimit,
            "a rejection drops the limit of streams to 1, the next accepted push restores it"),
        .word("backgroundPriority", \.backgroundPriority, "what a background push with priority 10 is"),
        .word("malformedPayload", \.malformedPayload, "what a body that is no JSON is"),
        .flag("refusesEmptyCollapseID", \.refusesEmptyCollapseID, "an empty apns-collapse-id is BadCollapseId"),
        .flag("echoesMessageIDVerbatim", \.echoesMessageIDVerbatim, "an upper-case apns-id comes back as it was sent"),
    ]

    /// Sets one field by its name; a usage failure names what may be given.
    package mutating func set(_ name: String, to text: String) throws(Failure) {
        guard let row = Self.table.first(where: { $0.name == name }) else {
            throw Failure(
                .usage, "there is no setting '\(name)'",
                hint: Suggestion.hint(for: name, among: Self.table.map(\.name)))
        }
        guard row.set(text, in: &self) else {
            throw Failure(.usage, "\(name) cannot be '\(text)'", hint: "give \(row.values)")
        }
    }
}
