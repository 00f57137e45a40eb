// Files of data that a scenario names: rows, measured times and the like. They are files of the scenario as its scripts are:
// found in the same places, kept whole in what a run puts on record, and so at hand for whoever judges or replays it later,
// from the record alone.

import Basics
import YAML

extension FileFinder {
    /// Of all data files of a scenario together.
    static let mostDataBytes = 64 << 20

    /// The file that the scalar `node` names, made into a value by `make`, once for each path and `kind`. Nil after a mistake
    /// was noted: one that `make` throws has its place in the file (`DataText.failure`), any other is at `node`.
    func data<Made: Sendable>(
        _ node: YAMLNode, key: String, kind: String, example: String, _ mistakes: Mistakes,
        _ make: (DataText) throws(Failure) -> Made
    ) -> Made? {
        guard case .scalar(let name, _) = node.content, !name.isEmpty, node.plainValue != .null else {
            mistakes.add(
                "`\(key)` must be the name of a file, not \(node.kindInWords)", hint: "such as `\(key): \(example)`",
                at: node.place)
            return nil
        }
        do throws(Failure) {
            let known = Set(sources.map(\.path))
            let source = try read(name, namedIn: node.place.file, most: Self.mostDataBytes)
            if let made = made[source.path + "\n" + kind] as? Made { return made }
            let text = DataText(source)
            if !known.contains(source.path) { dataBytes += text.bytes.count }
            guard dataBytes <= Self.mostDataBytes else {
                throw Failure(
                    .usage, "the data files of a scenario have at most 64 MiB in all, and this is more",
                    hint: "leave out what no session takes", place: source.path)
            }
            let value = try make(text)
            made[source.path + "\n" + kind] = value
            return value
        } catch {
            var mistake = error
            if mistake.place == nil { mistake.place = node.place.description }
            mistakes.add(mistake)
            return nil
        }
    }
}

/// The bytes of a file of data, and where in it something is wrong.
struct DataText {
    let path: String
    /// UTF-8, without a byte order mark.
    let bytes: [UInt8]

    init(_ source: SourceText) {
        path = source.path
        let bytes = Array(source.text.utf8)
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes[3...]) : bytes
    }

    /// With line and column of the byte at `offset`: both from 1, columns in characters (Unicode scalars).
    func failure(_ message: String, hint: String, at offset: Int) -> Failure {
        var (line, begin) = (1, 0)
        for (index, byte) in bytes.prefix(offset).enumerated() where byte == 10 { (line, begin) = (line + 1, index + 1) }
        let column = bytes[begin..<min(offset, bytes.count)].count { $0 & 0xC0 != 0x80 } + 1
        return Failure(.usage, message, hint: hint, place: "\(path):\(line):\(column)")
    }

    /// Visits each line: its number from 1, and where it lies without its end, which is LF or CRLF. What stands behind the last
    /// line's end is no line.
    func forEachLine(_ visit: (Int, Range<Int>) throws(Failure) -> Void) throws(Failure) {
        var (number, begin) = (1, 0)
        while begin < bytes.count {
            let end = bytes[begin...].firstIndex(of: 10) ?? bytes.count
            let last = end > begin && bytes[end - 1] == 13 ? end - 1 : end
            try visit(number, begin..<last)
            (number, begin) = (number + 1, end + 1)
        }
    }

    /// Without blanks at its ends.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        func isBlank(_ index: Int) -> Bool { bytes[index] == 32 || bytes[index] == 9 || bytes[index] == 13 }
        let begin = range.first { !isBlank($0) } ?? range.upperBound
        let end = range.last { !isBlank($0) }.map { $0 + 1 } ?? range.upperBound
        return begin..<end
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// At most sixty characters of it, for a message.
    func shown(_ range: Range<Int>) -> String {
        let text = text(range)
        return text.count > 60 ? text.prefix(60) + "…" : text
    }
}
