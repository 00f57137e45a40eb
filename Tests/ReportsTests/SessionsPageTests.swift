// The section about what users saw: ages over time, the worst sessions as lanes and as cards.

import Basics
import Foundation
import Metrics
import Schemas
import Sessions
import Testing

@testable import Reports

private func section(_ sessions: SessionsSeen?) throws -> String {
    let text = ReportPage(record: Sample.record(), sessions: sessions).text
    let start = try #require(text.range(of: "<section id=\"sessions\""))
    let end = try #require(text[start.lowerBound...].range(of: "</section>"))
    return String(text[start.lowerBound..<end.upperBound])
}

@Suite struct `What users saw, in the report` {
    @Test func `is one well-formed document with all else, and goes without its script`() throws {
        for sessions in [Sample.sessions(), Sample.sessions { $0.worst = [] }, SessionsSeen(), nil] {
            try XML.check(XML.fromHTML(ReportPage(record: Sample.record(), sessions: sessions).text))
        }
        #expect(try section(Sample.sessions()).contains("<script") == false)
    }

    @Test func `says how old cards were, and names the worst sessions with the command that tells all of them`() throws {
        let text = try section(Sample.sessions())
        #expect(text.contains("<dt>Behind</dt><dd>5 %<small>of the 11.1 h that cards lived, all together</small>"))
        #expect(text.contains("<dt>Oldest card</dt><dd>9.1 s<small>session 17 at +43.300 s</small>"))
        #expect(text.contains("The oldest was 9.1 s old, of session 17 at +43.300 s."))
        #expect(text.count(of: "pushrig journal Reports/latest --session 17") == 2)
        #expect(text.contains("<code class=\"line\">pushrig journal Reports/latest --session 3</code>"))
        for line in ["oldest", "p95", "median"] { #expect(text.contains("</span>\(line)</li>"), "\(line)") }
        // Where no card lived no line is drawn: it begins in the sixth second.
        let wide = try #require(text.components(separatedBy: "<svg class=\"wide\"").dropFirst().first)
        #expect(wide.contains("<path d=\"M96.27 "), "\(wide.prefix(3_000))")
    }

    @Test func `draws each kind of mark in a shape of its own, within reach of the keyboard, and in words`() throws {
        let text = try section(Sample.sessions())
        let shapes = LaneMark.Kind.allCases.map { $0.shape(0, 0).text.components(separatedBy: "\"")[1] + ($0.shape(0, 0).text.contains("full") ? "f" : "") }
        // A failed call and a refused push are the same in two lanes.
        #expect(Set(shapes).count == LaneMark.Kind.allCases.count - 1)
        #expect(text.contains("role=\"group\""))
        let told = "+34.700 s, step 5, failed, or answered otherwise: progress: 500 in 500 ms"
        #expect(text.count(of: "<g class=\"mark\" tabindex=\"0\" role=\"img\" aria-label=\"\(told)\">") == 2, "wide and narrow")
        // Eleven marks on each paper, and in the table.
        #expect(text.count(of: "<g class=\"mark\"") == 22)
        #expect(text.contains("<th scope=\"row\" class=\"\">+40.000 s</th><td>Phone: what the card shows</td>"))
        #expect(text.contains("<td>on the phone: activity 1: rotated</td>"))
        #expect(text.contains("order of time; 7 further ones are left out"))
        #expect(text.contains("and that of a reaction, offered at"))
        for kind in LaneMark.Kind.allCases { #expect(text.contains("</svg>\(kind.word)</li>"), "\(kind)") }
        #expect(text.contains("class=\"stale\""))
    }

    @Test func `draws the card on Lock Screen and Dynamic Island, with its age at the worst moment`() throws {
        let text = try section(Sample.sessions())
        let card = try #require(text.components(separatedBy: "At its oldest, right before +43.300 s").dropFirst().first)
        let oldest = try #require(card.components(separatedBy: "</figure>").first)
        for piece in ["Lock Screen", "Dynamic Island, compact", ">Parser</b>", ">Working</span>", ">Reading</p>", ">1:02:03</p>"] {
            #expect(oldest.contains(piece), "\(piece)")
        }
        #expect(oldest.count(of: "9.1 s old<") == 2)
        let next = try #require(card.components(separatedBy: "What it showed next, from +43.300 s on").dropFirst().first)
        #expect(next.contains("<i style=\"width:40%\"></i>") && next.contains(">40 %</span>"))
        #expect(!next.components(separatedBy: "</figure>")[0].contains(" old<"))
    }

    @Test func `says why there is no card, and invents none`() throws {
        let lack = try section(Sample.sessions { seen in
            seen.cardsLack = "the profile <x> names no schema"
            (seen.worst[0].card, seen.worst[0].next) = (nil, nil)
        })
        #expect(lack.contains("No card is drawn: the profile &lt;x&gt; names no schema.") && !lack.contains("Lock Screen"))
        #expect(lack.count(of: "<g class=\"mark\"") == 22, "the lanes are there all the same")
        #expect(try section(Sample.sessions { $0.worst[0].card = nil }).contains("the journal does not tell what it showed"))
        #expect(try section(Sample.sessions { $0.worst[0].next = nil }).contains("No newer state was shown afterwards"))
        #expect(try section(SessionsSeen()).contains("No card was shown in this run"))
        #expect(try section(nil).contains("Nothing is known of sessions"))
        #expect(try section(Sample.sessions { $0.worst = [] }).contains("None was ever behind."))
    }

    @Test func `lets no text of a relay act`() throws {
        let evil = "</style></script><img src=x onerror='alert(1)'>\u{1B}[31m\u{0}\u{202E}&\"]]>--> url(http://x)"
        let text = try section(Sample.sessions { seen in
            for index in seen.worst[0].marks.indices { seen.worst[0].marks[index].words = evil }
            var card = CardText()
            (card.title, card.status, card.body, card.progress, card.since) = (evil, evil, evil, evil, evil)
            card.fraction = .infinity
            seen.worst[0].card = CardSeen(since: .zero, text: card)
            seen.worst[0].next = seen.worst[0].card
            seen.cardsLack = evil
        })
        try XML.check(XML.fromHTML(text))
        #expect(!text.contains("<img") && !text.contains("</script") && !text.contains("</style"))
        #expect(!text.unicodeScalars.contains { ["\u{1B}", "\u{0}", "\u{202E}"].contains($0) })
        #expect(text.contains("width:100%") && !text.contains("width:inf"))
    }

    @Test func `stays bounded and sound, whatever the figures`() throws {
        let long = String(repeating: "wide words ", count: 15)
        let full = Sample.sessions { seen in
            seen.places = Array(repeating: StalenessPlace(cards: 1e9, median: .zero, p95: .zero, most: .zero), count: 200)
            var session = Sample.behind
            session.marks = (0..<120).map { LaneMark(.offered, at: .seconds(30 + Double($0) / 8), step: UInt32($0), long) }
            session.stale = (0..<100).map { .seconds(Double($0))..<(.seconds(Double($0) + 0.5)) }
            seen.worst = Array(repeating: session, count: 5)
        }
        let size = try section(full).utf8.count
        #expect(size < 1_600_000, "\(size)")
        for turn: (inout SessionSeen) -> Void in [
            { $0.age = .zero }, { $0.at = .seconds(-5) }, { $0.offeredAt = .seconds(1e9) }, { $0.marks = [] },
            { $0.age = Interval(nanoseconds: .max) }, { $0.at = Interval(nanoseconds: .max) },
        ] {
            let text = try section(Sample.sessions { turn(&$0.worst[0]) })
            try XML.check(XML.fromHTML(text))
            #expect(!text.contains("nan") && !text.contains("\"inf"))
        }
    }

    @Test func `breaks words into lines, and says where there are more`() {
        #expect(SessionLanes.wrap("one two three", columns: 50, rows: 2) == ["one two three"])
        #expect(SessionLanes.wrap("one two three four", columns: 9, rows: 3) == ["one two", "three", "four"])
        #expect(SessionLanes.wrap(String(repeating: "x", count: 30), columns: 10, rows: 2) == ["xxxxxxxxxx", "xxxxxxxxx…"])
        #expect(SessionLanes.wrap("", columns: 10, rows: 2) == [])
    }
}

@Suite struct `Sessions in the other reports` {
    @Test func `name the worst on the terminal, and are silent where there is none`() {
        let text = TerminalSummary.renderText(Sample.record(), Sample.sessions(), color: false)
        #expect(text.contains("cards       the oldest was 9.1 s old, of session 17 at +43.300 s: pushrig journal Reports/latest --session 17\n"))
        for sessions in [nil, SessionsSeen(), Sample.sessions { $0.worst = [] }] {
            #expect(!TerminalSummary.renderText(Sample.record(), sessions, color: false).contains("cards  "))
        }
    }

    @Test func `stand in run.json and are read from it again, tokens cut`() throws {
        let token = Sample.token
        let sessions = Sample.sessions { seen in
            seen.worst[0].marks[0].words = "token \(token)"
            seen.worst[0].card?.text.body = token
        }
        let json = ReportFiles.json(Sample.record(), sessions.withShortTokens)
        #expect(!json.text.contains(token) && json.text.contains("a1b2c3d4…"))
        #expect(ReportFiles.json(Sample.record(), nil)["sessions"] == .null)
    }
}
