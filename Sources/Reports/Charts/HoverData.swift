// What the page's script shows when a pointer moves over a chart: columns of texts that were formatted here.

import Basics

struct HoverData {
    struct Row {
        var name: String
        /// Index of the colour class, `c0` and so on.
        var color: Int
        /// One text per place; empty where the row has nothing to say.
        var values: [String]
    }

    /// Where the places stand on the paper, from left to right.
    var places: [Double]
    /// The heading of each place.
    var heads: [String]
    var rows: [Row]
    /// Upper and lower end of the line that follows the pointer.
    var top: Double
    var bottom: Double

    var text: String {
        let json: JSONValue = [
            "x": .array(places.map { .number(($0 * 10).rounded() / 10) }),
            "h": .array(heads.map { .string($0) }),
            "r": .array(
                rows.map {
                    ["n": .string($0.name), "c": .integer(Int64($0.color)), "v": .array($0.values.map { .string($0) })]
                }),
            "y": [.number(top), .number(bottom)],
        ]
        return json.text
    }
}
