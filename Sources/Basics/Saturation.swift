// Arithmetic on numbers that come from outside: what 64 bits cannot hold stops at the nearest end and never traps. Times
// (`Interval`, `Instant`, `WallTime`) use nothing else.

extension Int64 {
    /// The sum, or the end of the range that it would pass.
    package func saturating(plus other: Int64) -> Int64 {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the end of the range that it would pass.
    package func saturating(minus other: Int64) -> Int64 {
        let (difference, isBeyond) = subtractingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .max : .min) : difference
    }

    /// The product, or the end of the range that it would pass.
    package func saturating(times factor: Int64) -> Int64 {
        let (product, isBeyond) = multipliedReportingOverflow(by: factor)
        return isBeyond ? ((self < 0) == (factor < 0) ? .max : .min) : product
    }

    /// The nearest whole number, or the end of the range that it would pass; 0 for what is no number.
    package init(saturating value: Double) {
        if value.isNaN {
            self = 0
        } else if value >= 0x1p63 {
            self = .max
        } else if value < -0x1p63 {
            self = .min
        } else {
            self = Int64(value.rounded())
        }
    }
}
