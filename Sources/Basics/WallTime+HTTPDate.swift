// Dates as HTTP writes them (RFC 9110 §5.6.7), the one form that is still made: `Sun, 06 Nov 1994 08:49:37 GMT`.

extension WallTime {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    /// From the day of the week that the first of January 1970 was.
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    /// Of the years 0 to 9999.
    package var httpDate: String {
        let day = (seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400
        let text = iso8601
        let (date, time) = (text.prefix(10).split(separator: "-"), text.dropFirst(11).prefix(8))
        guard date.count == 3, let month = Int(date[1]), 1...12 ~= month else { return "Thu, 01 Jan 1970 00:00:00 GMT" }
        return "\(Self.weekdays[Int((day % 7 + 7) % 7)]), \(date[2]) \(Self.months[month - 1]) \(date[0]) \(time) GMT"
    }

    /// Nil for anything else.
    package init?(httpDate text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].utf8.count == 4, parts[0].hasSuffix(","), parts[5] == "GMT", parts[1].utf8.count == 2,
            let month = Self.months.firstIndex(of: String(parts[2]))
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        self.init(iso8601: "\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
    }
}
