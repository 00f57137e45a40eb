// Dates as HTTP writes them (RFC 9110 §5.6.7), the one form that is still made: `Sun, 06 Nov 1994 08:49:37 GMT`.

extension WallTime {
    /// Nil for anything else.
    package init?(httpDate text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard parts.count == 6, parts[0].utf8.count == 4, parts[0].hasSuffix(","), parts[5] == "GMT", parts[1].utf8.count == 2,
            let month = months.firstIndex(of: String(parts[2]))
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        self.init(iso8601: "\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
    }
}
