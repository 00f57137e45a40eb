// A planned push in the history of its session: what became of it, and what decided that.

import Basics
import Metrics
import Verdicts

extension DebtSeen {
    /// As in `step 4   complete, liveactivity end: lost, not in 24s, able for 21s of that; …`.
    var line: String {
        "step \(step)  \(call), \(what): \(outcome.rawValue)" + (words.isEmpty ? "" : ", \(words)")
            + (push.map { " [entry \($0)]" } ?? "")
    }

    func json(ofSession session: UInt32) -> String {
        var object: JSONObject = [
            "kind": "owed", "session": .integer(Int64(session)), "step": .integer(Int64(step)), "call": .string(call),
            "what": .string(what), "class": .string(outcome.rawValue), "words": .string(words),
        ]
        if let push { object["push"] = .integer(Int64(push)) }
        return JSONValue.object(object).text
    }
}
