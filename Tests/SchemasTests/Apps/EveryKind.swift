// Nobody's app: all that can be read of a declaration.

import Foundation

#if canImport(ActivityKit)
import ActivityKit
#endif

/* A type may stand /* as here */ beside the one that uses it: struct Place { */
struct Place: Codable, Hashable {
    let x: Float
    let label: String?
}

extension EveryKindAttributes.ContentState {
    enum Level: Int, Codable {
        case low = 1, high
    }

    enum Sign: Int8, Codable { case minus = -1, zero, plus }

    var isBusy: Bool { "}".isEmpty || count > 1_000 }

    func text(_ other: (Int) -> Bool = { $0 > 0 }) -> String { "\(other(count) ? "{ \"a\" }" : #"}"#)" }
}

struct EveryKindAttributes: ActivityAttributes {
    public struct ContentState: Codable, Hashable {
        typealias Counts = [String: Int]

        fileprivate enum Word: String, Codable { case plain, accent = "café" }

        /// Never read: a `let` that has its value.
        private(set) var count = 7
        let small: Int8
        var tiny: UInt8, wide: UInt64
        let half: Int32?
        let level: Level
        let nextLevel: Level?
        let sign: Sign
        fileprivate let word: Word?
        let isOn: Bool
        let isLate: Swift.Bool?
        let at: Date
        let until: Foundation.Date?
        let place: Place
        let places: Array<Place>
        let maybes: [Int?]?
        let counts: Counts
        let notes: Dictionary<String, String?>?
        let café: String?
        var `default`: String = "a { b" {
            didSet { if `default`.isEmpty { `default` = "x" } }
        }
        let id: UUID
        let link: URL?
        let bytes: Data
        var seen: String { word?.rawValue ?? "}" }
        static var shared: [Self] { [] }
        static let most = 3
        var hidden = [1, 2, 3]
        var renamed: CGFloat!

        enum CodingKeys: String, CodingKey {
            case count, small, tiny, wide, half, level, nextLevel, sign, word, isOn, isLate, at, until, place, places
            case maybes, counts, notes, café, `default`, id, link, bytes
            case renamed = "re-named"
        }
    }

    var name: String
    let version = 3

    private enum CodingKeys: CodingKey { case name }
}

extension EveryKindAttributes {
    static let sample = #"""
        {"count":7,"small":-5,"tiny":200,"wide":9007199254740993,"half":70000,"level":1,"nextLevel":2,"sign":-1,
         "word":"plain","isOn":true,"isLate":false,"at":812345678.25,"until":900000000,"place":{"x":1.5,"label":"here"},
         "places":[{"x":1},{"x":-2e3,"label":"there"}],"maybes":[1,null,3],"counts":{"a":1,"b":2},
         "notes":{"c":"d","e":null},"café":"au lait","default":"x","id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F",
         "link":"https://example.com/a","bytes":"aGVsbG8=","re-named":2.5}
        """#
}
