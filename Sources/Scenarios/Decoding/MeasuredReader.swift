// `{ file: dwell.csv }` as a distribution: one measured value a line.

import Basics

struct MeasuredReader {
    let quantity: Fields.Quantity
    /// Of durations.
    let longest: Interval

    private static let mostCount = 1_000_000.0

    /// Seconds, or counts. Throws the first mistake, with its line and column.
    func values(_ file: DataText) throws(Failure) -> MeasuredValues {
        guard !file.bytes.isEmpty else {
            throw file.failure("the file is empty", hint: "write one value a line, such as `\(example)`", at: 0)
        }
        var values: [Double] = []
        try file.forEachLine { number, range throws(Failure) in
            guard values.count < MeasuredValues.most else {
                throw file.failure(
                    "there are more than \(MeasuredValues.most) values", hint: "leave some out", at: range.lowerBound)
            }
            values.append(try value(file, range))
        }
        return MeasuredValues(values)
    }

    private var example: String { quantity == .duration ? "1.5s" : "3" }

    private func value(_ file: DataText, _ range: Range<Int>) throws(Failure) -> Double {
        let text = file.text(range)
        guard !text.isEmpty else {
            throw file.failure("the line is empty", hint: "one value a line, such as `\(example)`", at: range.lowerBound)
        }
        var found: Double?
        var most = Self.mostCount
        switch quantity {
        case .duration:
            found = Interval(parsing: text)?.seconds
            most = longest.seconds
        case .count: found = text.utf8.allSatisfy { 48...57 ~= $0 || $0 == 46 } ? Double(text) : nil
        }
        guard let found else {
            let isNumber = quantity == .duration && Double(text) != nil
            throw file.failure(
                "`\(file.shown(range))` is no \(quantity == .duration ? "duration" : "number")",
                hint: isNumber
                    ? "write its unit, such as `\(text)s`" : "one value a line and nothing else, such as `\(example)`",
                at: range.lowerBound)
        }
        guard found >= 0, found <= most else {
            throw file.failure(
                "`\(file.shown(range))` is more than \(quantity == .duration ? "\(longest)" : "1000000")",
                hint: "leave it out, or write a smaller one", at: range.lowerBound)
        }
        return found
    }
}
