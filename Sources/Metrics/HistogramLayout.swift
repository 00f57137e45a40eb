// The bucket layout of HdrHistogram for 1 ns to 1 h with three significant digits: 2048 buckets of 1 ns, then 1024
// buckets for each further power of two. A bucket is never wider than a thousandth of its value.

enum HistogramLayout {
    static let significantDigits: Int32 = 3
    static let lowestDiscernible: Int64 = 1
    /// One hour in nanoseconds. What is larger is recorded as this.
    static let highestTrackable: Int64 = 3_600_000_000_000

    static let subBucketHalfCountMagnitude = 10
    static let subBucketHalfCount = 1024
    static let subBucketMask: Int64 = 2047
    static let bucketCount = 32
    static let countsLength = (bucketCount + 1) * subBucketHalfCount

    /// `value` is in 0...highestTrackable.
    @inline(__always)
    static func index(of value: Int64) -> Int {
        let bucket = bucketIndex(of: value)
        let subBucket = Int(value >> Int64(bucket))
        return ((bucket + 1) << subBucketHalfCountMagnitude) + subBucket - subBucketHalfCount
    }

    /// The lowest value that is counted there.
    static func lowestValue(at index: Int) -> Int64 {
        let bucket = (index >> subBucketHalfCountMagnitude) - 1
        if bucket < 0 { return Int64(index) }
        return Int64((index & (subBucketHalfCount - 1)) + subBucketHalfCount) << Int64(bucket)
    }

    /// The highest value that is counted there.
    static func highestValue(at index: Int) -> Int64 { lowestValue(at: index) + width(at: index) - 1 }

    static func medianValue(at index: Int) -> Int64 { lowestValue(at: index) + width(at: index) >> 1 }

    private static func width(at index: Int) -> Int64 {
        1 << Int64(max((index >> subBucketHalfCountMagnitude) - 1, 0))
    }

    @inline(__always)
    private static func bucketIndex(of value: Int64) -> Int {
        64 - (value | subBucketMask).leadingZeroBitCount - (subBucketHalfCountMagnitude + 1)
    }
}
