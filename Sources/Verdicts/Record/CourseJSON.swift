// Latency over time as JSON and back: columns with a place for each interval. Where nothing was measured the count is 0.

import Basics
import Metrics

extension CorrelationJSON {
    private static var columns: [(name: String, path: WritableKeyPath<LatencyCourse, [LatencyCourse.Row]>)] {
        [("delivery", \.delivery), ("answer", \.answer), ("lateness", \.lateness)]
    }

    static func encode(_ course: LatencyCourse) -> JSONValue {
        var object: JSONObject = ["seconds": .integer(Int64(course.seconds))]
        for (name, path) in columns {
            let rows = course[keyPath: path]
            object[name] = [
                "count": JSONWriting.integers(rows.map(\.count)),
                "p50Nanoseconds": JSONWriting.integers(rows.map { Int($0.p50) }),
                "p99Nanoseconds": JSONWriting.integers(rows.map { Int($0.p99) }),
            ]
        }
        return .object(object)
    }

    static func decodeCourse(_ reading: JSONReading) throws(Failure) -> LatencyCourse {
        var course = LatencyCourse()
        course.seconds = try reading["seconds"].count()
        guard course.seconds > 0 else { throw try reading["seconds"].wrong("is not above 0") }
        for (name, path) in columns {
            let column = try reading[name]
            let counts = try column["count"].countsInOrder()
            let (p50, p99) = (try column["p50Nanoseconds"].countsInOrder(), try column["p99Nanoseconds"].countsInOrder())
            guard p50.count == counts.count, p99.count == counts.count else {
                throw column.wrong("has columns of different lengths")
            }
            course[keyPath: path] = counts.indices.map { index in
                LatencyCourse.Row(count: counts[index], p50: Int64(p50[index]), p99: Int64(p99[index]))
            }
        }
        return course
    }
}
