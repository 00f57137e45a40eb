// Types beside those of Apps/: what their synthesized decoding takes is what the schemas have to say.

import Foundation

/// The widget's script reads variant A's state from the text that its own type leaves alone.
struct ReadWidgetState: Decodable {
    let inner: OpenCodeA.SessionActivityAttributes.ContentState?

    init(from decoder: any Decoder) throws {
        let state = try OpenCodeB.WidgetState(from: decoder)
        inner = try state.props.map {
            try JSONDecoder().decode(OpenCodeA.SessionActivityAttributes.ContentState.self, from: Data($0.utf8))
        }
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
