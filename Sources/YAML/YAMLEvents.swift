// The owner of libyaml's parser: text in, one event after another out. It knows nothing of trees.

import Basics
import CYAML

/// What the parser saw next.
enum YAMLEvent {
    case documentStart
    case scalar(text: String, quoted: Bool)
    case alias(name: String)
    case sequenceStart
    case mappingStart
    /// End of the list or mapping begun last.
    case end
    case documentEnd
    case streamEnd
}

/// An event with its place, and its anchor or explicit tag if it has one.
struct YAMLMark {
    var event: YAMLEvent
    var place: YAMLPlace
    var anchor: String?
    var tag: String?
}

/// libyaml keeps the address of the parser and of the input, so both live on the heap as long as this does.
struct YAMLEvents: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>
    private let file: String

    init(text: String, file: String) {
        self.file = file
        var text = text
        input = text.withUTF8 { bytes in
            let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(bytes.count, 1))
            _ = copy.initialize(from: bytes)
            return UnsafeMutableBufferPointer(start: copy.baseAddress, count: bytes.count)
        }
        parser = .allocate(capacity: 1)
        precondition(yaml_parser_initialize(parser) == 1, "out of memory")
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, input.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        input.baseAddress?.deallocate()
    }

    /// The next event; after `streamEnd` there is none.
    func next() throws(Failure) -> YAMLMark {
        var raw = yaml_event_t()
        while true {
            guard yaml_parser_parse(parser, &raw) == 1 else { throw problem() }
            defer { yaml_event_delete(&raw) }
            if let mark = mark(of: raw) { return mark }
        }
    }

    private func mark(of raw: yaml_event_t) -> YAMLMark? {
        let place = place(of: raw.start_mark)
        func made(
            _ event: YAMLEvent, _ anchor: UnsafeMutablePointer<yaml_char_t>? = nil,
            _ tag: UnsafeMutablePointer<yaml_char_t>? = nil
        ) -> YAMLMark {
            YAMLMark(event: event, place: place, anchor: text(anchor), tag: text(tag))
        }
        switch raw.type {
        case YAML_STREAM_END_EVENT: return made(.streamEnd)
        case YAML_DOCUMENT_START_EVENT: return made(.documentStart)
        case YAML_DOCUMENT_END_EVENT: return made(.documentEnd)
        case YAML_ALIAS_EVENT: return made(.alias(name: text(raw.data.alias.anchor) ?? ""))
        case YAML_SCALAR_EVENT:
            let scalar = raw.data.scalar
            let value = String(
                decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            return made(
                .scalar(text: value, quoted: scalar.style != YAML_PLAIN_SCALAR_STYLE), scalar.anchor, scalar.tag)
        case YAML_SEQUENCE_START_EVENT:
            return made(.sequenceStart, raw.data.sequence_start.anchor, raw.data.sequence_start.tag)
        case YAML_MAPPING_START_EVENT:
            return made(.mappingStart, raw.data.mapping_start.anchor, raw.data.mapping_start.tag)
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return made(.end)
        default: return nil
        }
    }

    private func place(of mark: yaml_mark_t) -> YAMLPlace {
        YAMLPlace(file: file, line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }

    private func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        pointer.map { String(decodingCString: UnsafePointer($0), as: UTF8.self) }
    }

    /// libyaml's complaint as one of ours.
    private func problem() -> Failure {
        let parser = parser.pointee
        let words = parser.problem.map { String(cString: $0) } ?? "the parser gave up"
        let context = parser.context.map { String(cString: $0) }
        if parser.error == YAML_READER_ERROR {
            let before = input[..<min(parser.problem_offset, input.count)]
            let line = before.count { $0 == 10 } + 1
            let column = String(decoding: before.suffix { $0 != 10 }, as: UTF8.self).unicodeScalars.count + 1
            return Failure(
                .usage, "not YAML: \(words)", hint: "the file must be UTF-8 text without control characters",
                place: YAMLPlace(file: file, line: line, column: column).description)
        }
        let place = place(of: parser.problem_mark)
        let hint =
            byte(at: parser.problem_mark) == 9
            ? "indent with spaces; YAML does not take tabs"
            : context.map { "it was \($0) begun at line \(parser.context_mark.line + 1)" }
        return Failure(.usage, "not YAML: \(words)", hint: hint, place: place.description)
    }

    private func byte(at mark: yaml_mark_t) -> UInt8? {
        var offset = 0
        for _ in 0..<mark.line {
            guard let end = input[offset...].firstIndex(of: 10) else { return nil }
            offset = end + 1
        }
        offset += Int(mark.column)
        return offset < input.count ? input[offset] : nil
    }
}

extension UnsafeMutableBufferPointer<UInt8>.SubSequence {
    fileprivate func suffix(_ belongs: (UInt8) -> Bool) -> Self {
        var start = endIndex
        while start > startIndex, belongs(self[start - 1]) { start -= 1 }
        return self[start...]
    }
}
