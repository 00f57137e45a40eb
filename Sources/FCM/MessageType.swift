// What the types of a request are made of (JSON of Protocol Buffers, version 3): enough to read one, to say what is wrong with
// it as Google does, and to cause each of its faults in a test. The table itself is `MessageTable.swift`.

import Basics

/// A message of Protocol Buffers.
package final class MessageType: Sendable {
    /// Without its package, such as `AndroidConfig`.
    package let name: String
    package let fields: [FieldRow]
    /// Both spellings of each field's name, by their hash: a body is read without a string.
    private let spellings: [(hash: UInt64, row: FieldRow)]

    init(_ name: String, _ fields: [FieldRow]) {
        self.name = name
        self.fields = fields
        spellings = fields.flatMap { row in
            Set([row.name, row.camel]).map { (withBytes(of: $0) { Hash128(hashing: $0).low }, row) }
        }
    }

    /// The field of that name, in either spelling.
    func field(_ key: Span<UInt8>) -> FieldRow? {
        let hash = Hash128(hashing: key).low
        for index in spellings.indices where spellings[index].hash == hash {
            let row = spellings[index].row
            if key.says(row.name) || key.says(row.camel) { return row }
        }
        return nil
    }

    /// As errors spell it.
    package var url: String { "type.googleapis.com/google.firebase.fcm.v1.\(name)" }
}

/// The words of an enumeration.
package struct WordType: Sendable {
    package let name: String
    package let words: [String]

    init(_ name: String, _ words: [String]) {
        self.name = name
        self.words = words
    }

    package var url: String { "type.googleapis.com/google.firebase.fcm.v1.\(name)" }
}

/// What a field holds.
package enum FieldKind: Sendable {
    case text
    case flag
    case int32
    case float
    /// `"3.5s"`.
    case duration
    /// RFC 3339.
    case timestamp
    /// One of the words of its row.
    case word
    case texts
    case durations
    /// Of text to text.
    case map
    /// Any JSON object.
    case free
    case message(MessageType)

    var isWord: Bool {
        if case .word = self { true } else { false }
    }

    var isRepeated: Bool {
        switch self {
        case .texts, .durations: true
        default: false
        }
    }
}

/// One field. Both spellings of its name are read.
package final class FieldRow: Sendable {
    /// snake_case, as in paths of errors.
    package let name: String
    /// lowerCamelCase.
    package let camel: String
    package let kind: FieldKind
    /// Beside the kind and not within: an enumeration with two references in it tags them, and leak checkers lose them.
    package let words: WordType?
    /// Where the reader keeps its value; nil: it is only checked.
    let slot: MessageSlot?
    /// Of `target`, of which one is given.
    let isTarget: Bool
    let hasTwoSpellings: Bool

    init(
        _ name: String, _ kind: FieldKind, words: WordType? = nil, slot: MessageSlot? = nil, isTarget: Bool = false
    ) {
        precondition(kind.isWord == (words != nil))
        self.name = name
        camel = Self.camel(name)
        self.kind = kind
        self.words = words
        self.slot = slot
        self.isTarget = isTarget
        hasTwoSpellings = name != camel
    }

    /// What it holds, as errors spell it.
    package var url: String {
        switch kind {
        case .text, .texts, .map: "TYPE_STRING"
        case .flag: "TYPE_BOOL"
        case .int32: "TYPE_INT32"
        case .float: "TYPE_FLOAT"
        case .duration, .durations: "type.googleapis.com/google.protobuf.Duration"
        case .timestamp: "type.googleapis.com/google.protobuf.Timestamp"
        case .word: words?.url ?? ""
        case .free: "type.googleapis.com/google.protobuf.Struct"
        case .message(let type): type.url
        }
    }

    private static func camel(_ name: String) -> String {
        let parts = name.split(separator: "_")
        return parts.dropFirst().reduce(String(parts[0])) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }
}

/// What the rules read again once a body is found well-formed.
enum MessageSlot: Int, CaseIterable {
    case validateOnly, token, fid, topic, condition, data, notification, android, androidV2
    case collapseKey, priority, timeToLive, androidData, androidNotification, restrictedPackage, remoteNotification
    case apnsHeaders, apnsPayload, liveActivityToken, webpushHeaders
}
