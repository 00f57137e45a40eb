// RFC 3339 text for wall time, without Foundation. Days are counted by the proleptic Gregorian calendar.

extension WallTime {
    /// `2026-11-20T10:00:00.123Z`.
    package var iso8601: String {
        var days = nanoseconds / 86_400_000_000_000
        var rest = nanoseconds % 86_400_000_000_000
        if rest < 0 {
            rest += 86_400_000_000_000
            days -= 1
        }
        let (year, month, day) = Self.civil(fromDays: days)
        let milliseconds = rest / 1_000_000
        let (hour, minute) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60)
        let (second, fraction) = (milliseconds / 1_000 % 60, milliseconds % 1_000)
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
            + "\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2)).\(padded(fraction, 3))Z"
    }

    /// Reads `YYYY-MM-DDThh:mm:ss[.fraction](Z|±hh:mm)`. Nil for anything else, for days that no calendar has, and
    /// outside of the years 1678 to 2261 in UTC, which 64 bits of nanoseconds hold.
    package init?(iso8601 text: String) {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int64? {
            guard range.upperBound <= bytes.count else { return nil }
            var value: Int64 = 0
            for byte in bytes[range] {
                guard byte >= 48, byte <= 57 else { return nil }
                value = value * 10 + Int64(byte - 48)
            }
            return value
        }
        func has(_ character: UInt8, at index: Int) -> Bool { index < bytes.count && bytes[index] == character }
        guard let year = number(0..<4), has(45, at: 4), let month = number(5..<7), has(45, at: 7),
            let day = number(8..<10), has(84, at: 10) || has(116, at: 10) || has(32, at: 10),
            let hour = number(11..<13), has(58, at: 13), let minute = number(14..<16), has(58, at: 16),
            let second = number(17..<19), 1678...2261 ~= year, 1...12 ~= month, hour < 24, minute < 60, second < 61
        else { return nil }
        let firstDay = Self.days(fromCivil: year, month, 1)
        let nextFirstDay = Self.days(fromCivil: month == 12 ? year + 1 : year, month % 12 + 1, 1)
        guard day >= 1, firstDay + day <= nextFirstDay else { return nil }
        var index = 19
        var nanoseconds: Int64 = 0
        if has(46, at: index) {
            index += 1
            var unit: Int64 = 100_000_000
            let start = index
            while index < bytes.count, 48...57 ~= bytes[index] {
                nanoseconds += Int64(bytes[index] - 48) * unit
                unit /= 10
                index += 1
            }
            guard index > start else { return nil }
        }
        var offsetMinutes: Int64 = 0
        if has(90, at: index) || has(122, at: index) {
            index += 1
        } else if has(43, at: index) || has(45, at: index) {
            guard let hours = number(index + 1..<index + 3), has(58, at: index + 3),
                let minutes = number(index + 4..<index + 6), hours < 24, minutes < 60
            else { return nil }
            offsetMinutes = (hours * 60 + minutes) * (bytes[index] == 45 ? -1 : 1)
            index += 6
        } else {
            return nil
        }
        guard index == bytes.count else { return nil }
        let seconds = (firstDay + day - 1) * 86_400 + hour * 3_600 + minute * 60 + second - offsetMinutes * 60
        let range = Self.days(fromCivil: 1678, 1, 1) * 86_400..<Self.days(fromCivil: 2262, 1, 1) * 86_400
        guard range.contains(seconds) else { return nil }
        self.init(nanoseconds: seconds * 1_000_000_000 + nanoseconds)
    }

    private func padded(_ value: Int64, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    private static func civil(fromDays days: Int64) -> (Int64, Int64, Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthIndex + 2) / 5 + 1)
    }

    private static func days(fromCivil year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
