// Our histogram against HdrHistogram: the golden figures come from the Python package `hdrhistogram` 0.10.8, with
// `HdrHistogram(1, 3600000000000, 3)` and the values given here.

import Basics
import Testing

@testable import Metrics

@Suite struct HistogramTests {
    /// Ten thousand values of three to ten digits, and both ends.
    private var golden: Histogram {
        var histogram = Histogram()
        var x: UInt64 = 42
        var powers: [UInt64] = [1_000]
        while powers.count < 8 { powers.append(powers[powers.count - 1] * 10) }
        for index in 0..<10_000 {
            x = x &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            histogram.record(Int64((x >> 33) % powers[index % 8]))
        }
        histogram.record(0, count: 7)
        histogram.record(3_600_000_000_000, count: 2)
        return histogram
    }

    private var small: Histogram {
        var histogram = Histogram()
        for value in [0, 1, 1, 2047, 2048, 2049, 1_000_000, 1_000_000, 5_000_000_000] as [Int64] {
            histogram.record(value)
        }
        return histogram
    }

    private let smallEncoded =
        "1c8493130000000e000000000000000300000000000000010000034630b8a000"
        + "3ff00000000000000204f91f0204bf8e01048bc40102"
    private let smallCompressed =
        "HISTFAAAAC94nJNpmSzMwMDAxwABzFCaEch0M9ixgMH+A0SAieWnPBPL/j5Glu4jjEwAqN4IIQ=="

    @Test func theEncodingIsThatOfHdrHistogram() throws {
        #expect(small.encodedV2() == Hex.decode(smallEncoded))
        // One empty bucket.
        #expect(Histogram().encodedV2().dropFirst(40) == [1])
    }

    @Test func aSpectrumWithoutTicksIsAMistakeOfOurs() async {
        await #expect(processExitsWith: .failure) { _ = Histogram().percentileSpectrum(ticksPerHalfDistance: 0) }
    }

    @Test func aLargeEncodingIsThatOfHdrHistogram() {
        let encoded = golden.encodedV2()
        #expect(encoded.count == 11_627)
        let hash = encoded.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        #expect(hash == 0xA373_AA3C_53A8_D80A)
    }

    @Test func statisticsAreThoseOfHdrHistogram() {
        #expect(golden.count == 10_009)
        #expect(golden.min == 0)
        #expect(golden.max == 3_601_330_077_695)
        #expect(abs(golden.mean - 919_878_563.915_476_1) < 1e-3)
    }

    @Test(
        arguments: [
            (0, 0), (10, 718), (50, 887_295), (75, 82_509_823), (95, 1_311_768_575),
            (99, 1_971_322_879), (99.9, 2_138_046_463), (99.99, 3_601_330_077_695),
            (100, 3_601_330_077_695), (-5, 0), (101, 3_601_330_077_695),
        ] as [(Double, Int64)])
    func percentilesAreThoseOfHdrHistogram(percentile: Double, value: Int64) {
        #expect(golden.value(at: percentile) == value)
    }

    /// As the Java original has it; the Python package rounds the number of values to the nearest instead.
    @Test func aPercentileOfFewValuesIsTheSmallestThatCoversTheShare() {
        var histogram = Histogram()
        for value in 1...4 { histogram.record(Int64(value)) }
        #expect([0, 24.9, 25, 25.1, 50, 75, 75.1, 100].map { histogram.value(at: $0) } == [1, 1, 1, 2, 2, 3, 4, 4])
    }

    @Test func aShareThatIsAWholeNumberOfValuesIsNotRoundedUp() {
        var histogram = Histogram()
        for value in 1...11 { histogram.record(Int64(value)) }
        #expect((1...11).map { histogram.value(at: 100 * Double($0) / 11) } == (1...11).map { Int64($0) })
    }

    @Test func theSpectrumHalvesTheWayToTheEnd() {
        let points = small.percentileSpectrum(ticksPerHalfDistance: 5)
        #expect(
            points.prefix(11).map(\.percentile) == [0, 10, 20, 30, 40, 50, 55, 60, 65, 70, 75])
        #expect(points.prefix(4).map(\.value) == [0, 0, 1, 1])
        #expect(points.prefix(4).map(\.cumulative) == [1, 1, 3, 3])
        #expect(points.last?.percentile == 100)
        #expect(points.last?.value == 5_003_804_671)
        #expect(points.last?.cumulative == 9)
        #expect(zip(points, points.dropFirst()).allSatisfy { $0.percentile < $1.percentile && $0.value <= $1.value })
        #expect(Histogram().percentileSpectrum().isEmpty)
    }

    @Test func whatAnotherToolCompressedIsRead() throws {
        let bytes = try #require(Base64.decode(smallCompressed))
        let histogram = try Histogram(decodingCompressedV2: bytes.span)
        #expect(histogram == small)
    }

    @Test func everythingEncodedIsReadBack() throws {
        var many = Histogram()
        many.record(5, count: 1 << 40)
        many.record(70_000, count: (1 << 20) - 1)
        many.record(8, count: .max - (1 << 41))
        // 64 takes a second byte, 63 does not.
        var edges = Histogram()
        edges.record(5, count: 63)
        edges.record(900, count: 64)
        for histogram in [Histogram(), small, golden, many, edges] {
            let plain = histogram.encodedV2()
            #expect(try Histogram(decodingV2: plain.span) == histogram)
            let packed = histogram.encodedCompressedV2()
            #expect(try Histogram(decodingCompressedV2: packed.span) == histogram)
            #expect(packed[..<4] == [0x1C, 0x84, 0x93, 0x14])
        }
    }

    @Test func mergingIsRecordingTogether() {
        var generator = Seed(5).generator()
        var (left, right, both) = (Histogram(), Histogram(), Histogram())
        for _ in 0..<20_000 {
            let value = Int64(generator.next() >> (22 + generator.next() % 40))
            both.record(value)
            if generator.next() % 2 == 0 { left.record(value) } else { right.record(value) }
        }
        let before = left
        left.merge(right)
        #expect(left == both)
        left.subtract(right)
        #expect(left == before)
    }

    @Test func noValueIsMoreThanAThousandthAway() {
        var generator = Seed(6).generator()
        for _ in 0..<300 {
            let value = Int64(generator.next() % 3_600_000_000_000) >> Int64(generator.next() % 42)
            var histogram = Histogram()
            histogram.record(value)
            #expect(histogram.min <= value && value <= histogram.max)
            #expect(Double(histogram.max - histogram.min) <= Double(value) / 1000)
            #expect(histogram.value(at: 50) == histogram.max)
        }
    }

    @Test func bucketsAreContiguous() {
        var next: Int64 = 0
        for index in 0..<HistogramLayout.countsLength {
            #expect(HistogramLayout.lowestValue(at: index) == next)
            next = HistogramLayout.highestValue(at: index) + 1
        }
        #expect(next > HistogramLayout.highestTrackable)
    }

    @Test func valuesOutOfRangeAreHeldAtItsEnds() {
        var histogram = Histogram()
        histogram.record(-1)
        histogram.record(.min)
        histogram.record(.max)
        #expect(histogram.count == 3)
        #expect(histogram.min == 0)
        #expect(histogram.value(at: 60) == 0)
        #expect(histogram.max == 3_601_330_077_695)
    }

    @Test func anEmptyHistogramIsAllZero() {
        let empty = Histogram()
        #expect([empty.count, empty.min, empty.max, empty.value(at: 99)] == [0, 0, 0, 0])
        #expect(empty.mean == 0)
        #expect(empty.share(upTo: 5) == 1)
    }

    @Test func theShareUpToAValueCountsItsBucket() {
        #expect(small.share(upTo: 0) == 1.0 / 9)
        #expect(small.share(upTo: 2046) == 3.0 / 9)
        #expect(small.share(upTo: 2047) == 4.0 / 9)
        #expect(small.share(upTo: .max) == 1)
    }

    @Test func brokenEncodingsAreRefusedAndNeverCrash() throws {
        let plain = golden.encodedV2()
        for length in stride(from: 0, to: plain.count, by: 97) {
            #expect(throws: HistogramError.self) { try Histogram(decodingV2: Array(plain[..<length]).span) }
        }
        var generator = Seed(8).generator()
        let packed = small.encodedCompressedV2()
        for _ in 0..<2000 {
            var damaged = small.encodedV2()
            damaged[Int(generator.next() % UInt64(damaged.count))] = UInt8(truncatingIfNeeded: generator.next())
            _ = try? Histogram(decodingV2: damaged.span)
            damaged = packed
            damaged[Int(generator.next() % UInt64(damaged.count))] = UInt8(truncatingIfNeeded: generator.next())
            _ = try? Histogram(decodingCompressedV2: damaged.span)
        }
    }

    @Test(arguments: ["ff", "01ffffffffffffffff80"])
    func countsBeyondTheEndAreRefused(payload: String) throws {
        // A run of as many empty buckets as there are, and one count behind it.
        var bytes = Array(Histogram().encodedV2()[..<40])
        var counts: [UInt8] = []
        for _ in 0..<HistogramLayout.countsLength { counts.append(2) }
        counts += try #require(Hex.decode(payload))
        bytes.replaceSubrange(4..<8, with: withUnsafeBytes(of: UInt32(counts.count).bigEndian) { Array($0) })
        #expect(throws: HistogramError.self) { try Histogram(decodingV2: (bytes + counts).span) }
    }

    @Test func aLogIsReadableByOtherTools() throws {
        var log = HistogramLog(startedAt: WallTime(milliseconds: 1_760_000_000_123), comment: "PushRig\nseed 7")
        log.add(small, tag: "delivery.progress x,y", start: .milliseconds(5), length: .seconds(60.5))
        log.add(Histogram(), tag: nil, start: .zero, length: .milliseconds(1))
        let lines = log.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines.prefix(5) == [
                "#[Histogram log format version 1.3]", "#[PushRig]", "#[seed 7]",
                "#[StartTime: 1760000000.123 (seconds since epoch), 2025-10-09T08:53:20.123Z]",
                #""StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram""#,
            ])
        let fields = lines[5].split(separator: ",")
        #expect(fields.dropLast() == ["Tag=delivery.progress_x_y", "0.005", "60.500", "5003.804"])
        let bytes = try #require(Base64.decode(String(fields[4])))
        #expect(try Histogram(decodingCompressedV2: bytes.span) == small)
        #expect(lines[6].hasPrefix("0.000,0.001,0.000,HIST"))
        #expect(lines[7] == "" && lines.count == 8)
    }
}
