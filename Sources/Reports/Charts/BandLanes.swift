// Faults and relay outages over a time axis: a shaded band through the panels, and a named bar in a lane above.

import Basics
import Verdicts

struct BandLanes {
    /// A little more than what a bold character of the labels' size takes.
    private static let characterWidth = 7.2

    private var placed: [(band: RunRecord.Band, lane: Int)] = []
    private(set) var count = 0

    /// Bands that overlap get lanes of their own, up to `most`; further ones share the last.
    init(_ bands: [RunRecord.Band], total: Double, most: Int) {
        var ends: [Double] = []
        for band in bands.sorted(by: { $0.start < $1.start }) {
            guard band.end.seconds > 0, band.start.seconds < total else { continue }
            let lane = ends.firstIndex { $0 <= band.start.seconds } ?? min(ends.count, most - 1)
            if lane == ends.count { ends.append(0) }
            ends[lane] = max(ends[lane], band.end.seconds)
            placed.append((band, lane))
        }
        count = ends.count
    }

    func draw(on paper: inout Drawing, x: Scale, bottom: Double) {
        for (index, (band, lane)) in placed.enumerated() {
            let start = x(band.start.seconds)
            let width = max(x(band.end.seconds) - start, 2)
            let top = 20 + Double(lane) * 18
            let tip = "\(band.word): \(band.label), \(band.times)"
            paper.rect(start, top, width, bottom - top, "band \(band.kind.rawValue)", tip: tip)
            paper.rect(start, top, width, 14, "bar \(band.kind.rawValue)", tip: tip)
            // Within the bar where it fits, else behind it as far as the lane is free, else only as a tip.
            let length = Double(band.label.count) * Self.characterWidth
            let next = placed[(index + 1)...].first { $0.lane == lane }.map { x($0.band.start.seconds) } ?? x.end
            if length + 8 <= width {
                paper.text(start + 4, top + 11, band.label, "band-label")
            } else if start + width + 4 + length <= next {
                paper.text(start + width + 4, top + 11, band.label, "band-label outside")
            } else if let word = band.label.split(separator: " ").first, Double(word.count) * Self.characterWidth + 8 <= width {
                // Its first word, such as a status; never a piece of one.
                paper.text(start + 4, top + 11, String(word), "band-label")
            }
        }
    }
}

extension RunRecord.Band {
    var word: String { kind == .fault ? "Fault" : "Relay restart" }
    var times: String { "\(Numbers.duration(start)) to \(Numbers.duration(end))" }
}
