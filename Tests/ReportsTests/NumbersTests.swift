// Numbers as people read them, and foreign text made harmless.

import Basics
import Testing
import Verdicts

@testable import Reports

@Suite struct `Numbers in reports` {
    @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567")])
    func `counts are grouped by thousands`(value: Int, text: String) {
        #expect(Numbers.count(value) == text)
    }

    @Test(arguments: [
        (0.0, "0 ms"), (420, "420 ns"), (1_530_000, "1.53 ms"), (999_600, "1 ms"), (9_995_000, "10 ms"), (99_950_000, "100 ms"), (12_340_000_000, "12.3 s"),
        (119_000_000_000, "119 s"), (150e9, "2.5 min"), (7200e9, "2 h"), (.nan, "–"), (.infinity, "–"),
    ])
    func `durations have three figures and a unit`(nanoseconds: Double, text: String) {
        #expect(Numbers.duration(nanoseconds: nanoseconds) == text)
    }

    @Test(arguments: [
        (0.0, "0 %"), (0.00001, "< 0.01 %"), (0.0004, "0.04 %"), (0.123, "12.3 %"), (0.999_99, "> 99.99 %"),
        (1, "100 %"),
        (.nan, "–"),
    ])
    func `shares never hide a small or missing part`(ratio: Double, text: String) {
        #expect(Numbers.percent(ratio) == text)
    }

    @Test(arguments: [(0, 0, "–"), (0, 1, "0 %"), (1, 1, "100 %"), (1, 8, "12.5 %")])
    func `a share of nothing is none`(part: Int, whole: Int, text: String) {
        #expect(Numbers.share(part, of: whole) == text)
    }

    @Test(arguments: [(0.5, "0.5/s"), (99.96, "100/s"), (1_240.4, "1,240/s")])
    func `rates are per second`(value: Double, text: String) {
        #expect(Numbers.rate(value) == text)
    }

    @Test(arguments: [(0.0, "0"), (1.005, "1"), (-0.05, "-0.05"), (12.3456, "12.35"), (-3.1, "-3.1"), (.nan, "0")])
    func `coordinates have two decimals at most`(value: Double, text: String) {
        #expect(Numbers.coordinate(value) == text)
    }
}

@Suite struct `Escaping text` {
    @Test func `interpolated text is escaped and markup is not`() {
        let foreign = "</script><img src=x onerror='a()'>&\u{1}"
        let inner: Markup = "<b>\(foreign)</b>"
        let outer: Markup = "<p>\(inner)</p>"
        #expect(
            outer.text
                == "<p><b>&lt;/script&gt;&lt;img src=x onerror=&#39;a()&#39;&gt;&amp;\u{FFFD}</b></p>")
    }

    @Test func `Markdown takes nothing as markup and calls nobody`() {
        #expect(
            Escaping.markdown("a|b\n`c` <img> *d* @user") == #"a\|b \`c\` &lt;img&gt; \*d\* @"# + "\u{2060}user")
    }

    @Test func `a fenced block cannot be closed from within`() {
        #expect(Escaping.markdownBlock("a ```` b").hasPrefix("`````\n"))
    }

    @Test func `nothing turns the direction of what follows`() {
        for mark in ["\u{202E}", "\u{2066}", "\u{200F}", "\u{061C}", "\u{2028}"] {
            #expect(Escaping.terminal("a\(mark)b") == "a\u{FFFD}b")
            #expect(Escaping.html("a\(mark)b") == "a\u{FFFD}b")
            #expect(Escaping.markdown("a\(mark)b") == "a\u{FFFD}b")
        }
    }

    @Test func `offsets are told to the millisecond`() {
        #expect(Numbers.offset(.milliseconds(61_200)) == "+61.200 s" && Numbers.offset(.milliseconds(-90)) == "-0.090 s")
        #expect(Numbers.offset(Interval(nanoseconds: .min)).hasPrefix("-"))
    }

    @Test func `a terminal gets no control characters`() {
        #expect(Escaping.terminal("a\u{1B}[31mb\u{9B}c\nd") == "a\u{FFFD}[31mb\u{FFFD}c d")
    }
}

@Suite struct `Axes` {
    @Test func `linear ticks are round and enclose the largest value`() {
        #expect(Ticks.linear(upTo: 230, count: 3) == [0, 100, 200, 300])
        #expect(Ticks.linear(upTo: 200, count: 4) == [0, 50, 100, 150, 200])
        #expect(Ticks.linear(upTo: 0, count: 4) == [0, 1])
        #expect(Ticks.linear(upTo: .nan, count: 4) == [0, 1])
    }

    @Test func `logarithmic ticks enclose the range and thin out when it is wide`() {
        #expect(Ticks.logarithmic(3, 40) == [2, 5, 10, 20, 50])
        let wide = Ticks.logarithmic(3e3, 4e9)
        #expect(wide.first == 2e3)
        #expect(wide.last == 5e9)
        #expect(wide.count <= 9)
    }

    @Test func `elapsed time is told in round steps`() {
        #expect(Ticks.elapsed(upTo: 150, count: 10).prefix(3) == [0, 15, 30])
        #expect(Ticks.elapsedLabel(90, of: 150) == "1:30")
        #expect(Ticks.elapsedLabel(30, of: 60) == "30 s")
        #expect(Ticks.elapsedLabel(7_500, of: 9_000) == "2:05")
    }

    @Test func `labels are moved apart and stay on the paper`() {
        let places = LabelLayout.spread([50, 52, 51, 99], gap: 10, within: 0...100)
        let sorted = places.sorted()
        #expect(zip(sorted, sorted.dropFirst()).allSatisfy { $1 - $0 >= 9.999 })
        #expect(sorted.last! <= 100)
        #expect(places[0] < places[2] && places[2] < places[1])
    }

    @Test func `overlapping bands get lanes of their own`() {
        let bands = Sample.record().bands
        #expect(BandLanes(bands, total: 150, most: 3).count == 2)
        #expect(BandLanes(bands, total: 150, most: 1).count == 1)
        #expect(BandLanes(bands, total: 30, most: 3).count == 0)
    }

    @Test func `seconds are gathered into means`() {
        let buckets = Buckets(seconds: 5, most: 3)
        #expect(buckets.means([2, 4, 6, 8, 10]) == [3, 7, 10])
        #expect(buckets.means([2, 4, 6]) == [3])
        #expect(buckets.heads(of: 5) == ["0 to 2 s", "2 s to 4 s", "at 4 s"])
    }
}
