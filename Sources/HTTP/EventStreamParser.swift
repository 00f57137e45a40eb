// Server-sent events as whoever listens reads them (WHATWG HTML, §9.2): bytes in, whole events out.

/// Reads one stream. What it keeps of an unfinished event is bounded.
package struct EventStreamParser {
    package struct Event: Hashable, Sendable {
        /// `message` where the stream gives none.
        package var name: String
        package var data: [UInt8]
        /// The last one that the stream gave, this event's own or not; empty where it gave none.
        package var id: String
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let longest: Int
    private var line: [UInt8] = []
    private var name: [UInt8] = []
    private var data: [UInt8] = []
    private var hasData = false
    private var id: [UInt8] = []
    private var endedByReturn = false
    private var isFirstLine = true

    /// `longest`: bytes of one event, or of one line.
    package init(longest: Int = 1 << 16) { self.longest = longest }

    /// Takes what has come and hands on each event that is whole. False: an event is longer than is kept, and the stream
    /// cannot be read any further.
    package mutating func take(_ bytes: Span<UInt8>, _ event: (Event) -> Void) -> Bool {
        for index in bytes.indices {
            let byte = bytes[index]
            defer { endedByReturn = byte == 13 }
            switch byte {
            case 10 where endedByReturn: continue
            case 10, 13: endLine(event)
            default: line.append(byte)
            }
            guard line.count <= longest, data.count <= longest else { return false }
        }
        return true
    }

    private mutating func endLine(_ event: (Event) -> Void) {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine, line.starts(with: Self.byteOrderMark) { line.removeFirst(3) }
        isFirstLine = false
        guard !line.isEmpty else { return dispatch(event) }
        let colon = line.firstIndex(of: 58) ?? line.count
        var value = line[min(colon + 1, line.count)...]
        if value.first == 32 { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": name = Array(value)
        case "data":
            if hasData { data.append(10) }
            hasData = true
            data += value
        case "id" where !value.contains(0): id = Array(value)
        default: break
        }
    }

    /// A blank line: the event is over; without data there was none.
    private mutating func dispatch(_ event: (Event) -> Void) {
        if hasData {
            event(
                Event(
                    name: name.isEmpty ? "message" : String(decoding: name, as: UTF8.self), data: data,
                    id: String(decoding: id, as: UTF8.self)))
        }
        name.removeAll(keepingCapacity: true)
        data.removeAll(keepingCapacity: true)
        hasData = false
    }
}
