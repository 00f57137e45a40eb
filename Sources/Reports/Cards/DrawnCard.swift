// A card as a phone shows it: on the Lock Screen and, compact, in the Dynamic Island. Texts come from a relay: they are
// escaped like all foreign text, cut when they are long, and keep their direction to themselves.

import Basics
import Schemas
import Sessions
import Verdicts

struct DrawnCard {
    /// Characters in the Dynamic Island, where there is room for a word.
    private static let island = 14

    var card: CardSeen
    /// When it showed this, in words.
    var caption: String
    /// How old it was then, such as `9.1 s old`; nil: nothing is said.
    var age: String?

    var markup: Markup {
        let text = card.text
        let leading = short(text.status ?? text.title ?? "–")
        let trailing = age ?? short(text.progress ?? text.since ?? "")
        return """
            <figure class="phone"><figcaption>\(caption)</figcaption>
            <p class="kind">Lock Screen</p><div class="lock"><div class="lock-head">\
            <span class="app" aria-hidden="true"></span><b dir="auto">\(text.title ?? "no title")</b>\(pill(text.status))</div>\
            \(line(text.body, "body"))\(progress)\(line(text.since, "since"))\(ageMarkup)</div>
            <p class="kind">Dynamic Island, compact</p><div class="island"><span class="app" aria-hidden="true"></span>\
            <span dir="auto" class="leading">\(leading)</span><span class="camera" \
            aria-hidden="true"></span>\
            <span class="trailing \(age == nil ? "" : "old")">\(trailing)</span></div>
            </figure>

            """
    }

    private func pill(_ status: String?) -> Markup {
        status.map { "<span class=\"pill\" dir=\"auto\">\($0)</span>" } ?? ""
    }

    private func line(_ text: String?, _ style: String) -> Markup {
        text.map { "<p class=\"\(style)\" dir=\"auto\">\($0)</p>" } ?? ""
    }

    private var progress: Markup {
        guard let text = card.text.progress else { return "" }
        guard let fraction = card.text.fraction else { return line(text, "progress") }
        let width = min(max(fraction, 0), 1) * 100
        return "<p class=\"progress\">\(text)</p><div class=\"track\"><i style=\"width:\(width)%\"></i></div>"
    }

    private var ageMarkup: Markup {
        age.map { "<p class=\"age\"><span class=\"clock\" aria-hidden=\"true\"></span>\($0)</p>" } ?? ""
    }

    private func short(_ text: String) -> String {
        text.count > Self.island ? text.prefix(Self.island - 1) + "…" : text
    }
}
