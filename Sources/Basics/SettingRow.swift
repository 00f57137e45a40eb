// Settings by name, for command lines, scenario files and embedders: one row for each field that may be chosen.

/// One field of `Settings`, what may be given for it, and what it means.
package struct SettingRow<Settings>: Sendable {
    /// As the field.
    package let name: String
    /// What may be given, such as `true|false`.
    package let values: String
    /// One line.
    package let explanation: String
    private let read: @Sendable (Settings) -> String
    private let write: @Sendable (inout Settings, String) -> Bool

    package func value(in settings: Settings) -> String { read(settings) }

    /// False, and nothing changed, when the text is none of the values.
    package func set(_ text: String, in settings: inout Settings) -> Bool { write(&settings, text) }

    package init(
        _ name: String, _ values: String, _ explanation: String, read: @escaping @Sendable (Settings) -> String,
        write: @escaping @Sendable (inout Settings, String) -> Bool
    ) {
        self.name = name
        self.values = values
        self.explanation = explanation
        self.read = read
        self.write = write
    }
}

extension SettingRow {
    package typealias Field<Value> = WritableKeyPath<Settings, Value> & Sendable

    package static func flag(_ name: String, _ field: any Field<Bool>, _ explanation: String) -> SettingRow {
        SettingRow(name, "true|false", explanation, read: { "\($0[keyPath: field])" }) { settings, text in
            guard let value = Bool(text) else { return false }
            settings[keyPath: field] = value
            return true
        }
    }

    package static func word<T: CaseIterable & RawRepresentable<String> & SendableMetatype>(
        _ name: String, _ field: any Field<T>, _ explanation: String
    ) -> SettingRow {
        let words = T.allCases.map(\.rawValue).joined(separator: "|")
        return SettingRow(name, words, explanation, read: { $0[keyPath: field].rawValue }) { settings, text in
            guard let value = T(rawValue: text) else { return false }
            settings[keyPath: field] = value
            return true
        }
    }

    /// A hundred years: longer than any clock is ahead.
    private static var longest: Interval { ClockBounds.largestSkew }
    private static var durations: String { "a duration such as 20m, at most 36500d" }

    /// `mayBeZero`: whether no time at all is a value.
    package static func interval(
        _ name: String, _ field: any Field<Interval>, mayBeZero: Bool = false, _ explanation: String
    ) -> SettingRow {
        SettingRow(name, durations, explanation, read: { $0[keyPath: field].description }) {
            settings, text in
            guard let value = Interval(parsing: text), value > .zero || mayBeZero, value <= longest else { return false }
            settings[keyPath: field] = value
            return true
        }
    }

    /// `none` is the word for no limit.
    package static func interval(
        _ name: String, _ field: any Field<Interval?>, none: String, _ explanation: String
    ) -> SettingRow {
        SettingRow(
            name, "\(durations), or \(none)", explanation, read: { $0[keyPath: field]?.description ?? none }
        ) { settings, text in
            let value = Interval(parsing: text)
            guard text == none || value.map({ $0 <= longest }) == true else { return false }
            settings[keyPath: field] = value
            return true
        }
    }

    /// `none` is the word for no limit.
    package static func number(
        _ name: String, _ field: any Field<Int?>, from least: Int = 1, none: String, _ explanation: String
    ) -> SettingRow {
        SettingRow(
            name, "a number from \(least) to 1000000000, or \(none)", explanation,
            read: { $0[keyPath: field].map(String.init) ?? none }
        ) { settings, text in
            let number = Int(text)
            guard text == none || number.map({ least...1_000_000_000 ~= $0 }) == true else { return false }
            settings[keyPath: field] = number
            return true
        }
    }
}

/// Settings that have names.
package protocol NamedSettings {
    static var table: [SettingRow<Self>] { get }
}

extension NamedSettings {
    /// Sets one field by its name. A usage failure names a field or value that does not exist, and what there is.
    package mutating func set(_ name: String, to text: String) throws(Failure) {
        if try setIfKnown(name, to: text) { return }
        throw Failure(
            .usage, "there is no setting '\(name)'", hint: Suggestion.hint(for: name, among: Self.table.map(\.name)))
    }

    /// Sets one field by its name; false when there is none of that name. A usage failure names what may be given.
    package mutating func setIfKnown(_ name: String, to text: String) throws(Failure) -> Bool {
        guard let row = Self.table.first(where: { $0.name == name }) else { return false }
        guard row.set(text, in: &self) else {
            throw Failure(.usage, "\(name) cannot be '\(text)'", hint: "give \(row.values)")
        }
        return true
    }
}
