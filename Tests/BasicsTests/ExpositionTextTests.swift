import Testing

@testable import Basics

@Suite("A page of metrics")
struct ExpositionTextTests {
    @Test("is the text format of Prometheus: help, type, samples, each on a line of its own")
    func page() {
        var page = ExpositionText()
        page.add("a_total", .counter, "Things.\nMore \\ of \"them\".", [(["x": "1", "y": "a\"b\\c\nd"], 3), (["x": "2"], 0.25)])
        page.add("b", .gauge, "None.", [])
        page.add("c", .gauge, "One.", 1e20)
        page.addHistogram("d_seconds", "Time.", buckets: [(0.005, 1), (1, 2)], sum: 7.5, count: 3)
        #expect(page.text == #"""
            # HELP a_total Things.\nMore \\ of "them".
            # TYPE a_total counter
            a_total{x="1",y="a\"b\\c\nd"} 3
            a_total{x="2"} 0.25
            # HELP c One.
            # TYPE c gauge
            c 1e+20
            # HELP d_seconds Time.
            # TYPE d_seconds histogram
            d_seconds_bucket{le="0.005"} 1
            d_seconds_bucket{le="1"} 2
            d_seconds_bucket{le="+Inf"} 3
            d_seconds_sum 7.5
            d_seconds_count 3

            """#)
    }

    @Test("writes numbers that Prometheus reads", arguments: [
        (0, "0"), (-3, "-3"), (1e16, "1e+16"), (0.1, "0.1"), (Double.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"),
    ])
    func numbers(value: Double, text: String) { #expect(ExpositionText.number(value) == text) }
}
