// The apps' own types, as Swift has them: what their synthesized decoding takes is what the schemas have to say.

import Foundation

enum OpenCodeA {
    struct Attributes: Codable { let sessionId: String }

    struct State: Codable {
        enum Status: String, Codable { case working, retry, permission, complete, error }

        let status: Status
        let sessionTitle: String
        let lastMessage: String
        let retryInfo: String?
    }
}

/// expo-widgets: the state is text for a script, which reads variant A's state from it.
enum OpenCodeB {
    struct Attributes: Codable { let url: String? }

    struct State: Decodable {
        let name: String
        let props: String?
        let inner: OpenCodeA.State?

        enum CodingKeys: String, CodingKey { case name, props }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            props = try container.decodeIfPresent(String.self, forKey: .props)
            inner = try props.map { try JSONDecoder().decode(OpenCodeA.State.self, from: Data($0.utf8)) }
        }
    }
}

enum OpenCodeIOS {
    struct Attributes: Codable {
        let sessionID: String
        let sessionType: String
        let startTime: Date
    }

    struct State: Codable {
        var status: String
        var progress: Double
        var currentFile: String?
        var operationCount: Int
        var statusEmoji: String
    }
}

enum Busymate {
    struct State: Codable {
        enum Mode: String, Codable { case vpn, pac, off }

        let mode: Mode
        let requestsPerSec: Double
        let note: String?
    }
}

enum Sendora {
    struct Attributes: Codable { let orderId: String }

    struct State: Codable {
        let status: String
        let minutesAway: Int
        let driverName: String?
    }
}

enum Epilogue {
    struct Attributes: Codable {
        let startTime: Date
        let coverImagePath: String?
        let orbImagePath: String?
    }

    struct State: Codable {
        var bookTitle: String?
        var sessionDuration: TimeInterval
        var capturedCount: Int
        var isListening: Bool
        var lastTranscript: String
        var pagesRead: Int = 0
        var coverAccentHex: String?
        var nudgeMessage: String?
        var nudgeIcon: String?
    }
}

/// Nobody's app: all that a schema can say.
struct Everything: Decodable {
    enum Level: Int, Decodable {
        case low = 1
        case high = 2
    }

    enum Word: String, Decodable { case plain, accent = "caf\u{e9}" }

    struct Place: Decodable {
        let x: Float
        let label: String?
    }

    /// Never read. Left out of the keys, which is what the compiler does with it, though not without a warning.
    let version = 3
    var count = 7
    let small: Int8
    let tiny: UInt8
    let wide: UInt64
    let half: Int32?
    let level: Level
    let nextLevel: Level?
    let word: Word?
    let isOn: Bool
    let isLate: Bool?
    let at: Date
    let until: Date?
    let place: Place
    let places: [Place]
    let maybes: [Int?]?
    let counts: [String: Int]
    let notes: [String: String?]?
    let café: String?

    enum CodingKeys: String, CodingKey {
        case count, small, tiny, wide, half, level, nextLevel, word, isOn, isLate, at, until, place, places, maybes
        case counts, notes, café
    }

    static let schema = #"""
        { "type": "object",
          "required": ["version", "count", "small", "tiny", "wide", "level", "isOn", "at", "place", "places", "counts"],
          "properties": {
            "version": { "x-ignored": true, "type": "integer" }, "count": { "type": "integer", "default": 7 },
            "small": { "type": "integer", "format": "int8" }, "tiny": { "type": "integer", "format": "uint8" },
            "wide": { "type": "integer", "format": "uint64" }, "half": { "type": "integer", "format": "int32" },
            "level": { "enum": [1, 2] }, "nextLevel": { "enum": [1, 2, null] },
            "word": { "type": ["string", "null"], "enum": ["plain", "café"] },
            "isOn": { "type": "boolean" }, "isLate": { "type": ["boolean", "null"] },
            "at": { "type": "number", "format": "swift-date" },
            "until": { "type": ["number", "null"], "format": "swift-date" },
            "place": { "$ref": "#/$defs/place" },
            "places": { "type": "array", "items": { "$ref": "#/$defs/place" } },
            "maybes": { "type": "array", "items": { "type": ["integer", "null"] } },
            "counts": { "type": "object", "additionalProperties": { "type": "integer" } },
            "notes": { "type": "object", "additionalProperties": { "type": ["string", "null"] } },
            "café": { "type": "string" } },
          "$defs": { "place": { "type": "object", "required": ["x"], "properties": {
            "x": { "type": "number", "format": "float" }, "label": { "type": "string" } } } } }
        """#

    static let sample = #"""
        {"version":3,"count":7,"small":-5,"tiny":200,"wide":9007199254740993,"half":70000,"level":1,"nextLevel":2,
         "word":"plain","isOn":true,"isLate":false,"at":812345678.25,"until":900000000,"place":{"x":1.5,"label":"here"},
         "places":[{"x":1},{"x":-2e3,"label":"there"}],"maybes":[1,null,3],"counts":{"a":1,"b":2},
         "notes":{"c":"d","e":null},"café":"au lait"}
        """#
}
