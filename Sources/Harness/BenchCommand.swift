// `pushrig bench`: load straight at an endpoint, told in a few lines or as JSON.

package import Basics
import LoadGenerator
import Metrics
import Net
import OperatingSystem
import Reports

/// Files of certificate authorities, looked at before a library that knows no names of ours does.
enum CertificateFile {
    /// Throws a usage `Failure` unless there is a certificate in PEM in it.
    static func check(_ path: String) throws(Failure) {
        let hint = "give the PEM file of the authority to trust, such as a mock's ca.pem"
        let text: String
        do { text = String(decoding: try FileSystem.read(path, limit: 64 << 20), as: UTF8.self) } catch {
            throw Failure(.usage, "cannot read \(path): \(error.words)", hint: hint)
        }
        guard text.contains("-----BEGIN CERTIFICATE-----") || text.contains("-----BEGIN TRUSTED CERTIFICATE-----") else {
            throw Failure(.usage, "\(path) holds no certificate in PEM", hint: hint)
        }
    }
}

package struct BenchCommand: Sendable {
    package var url = ""
    package var usesHTTP1 = false
    package var connections = 10
    package var streams = 100
    package var requests: Int?
    /// A second, whatever the endpoint answers; nil: the next request goes when an answer is in.
    package var rate: Double?
    package var tokens: Int?
    package var repeats = false
    package var duration: Interval?
    package var method: String?
    package var path: String?
    package var fields: [(name: String, value: String)] = []
    package var bearer: String?
    package var bodyBytes = 250
    package var bodyFile: String?
    package var caFile: String?
    package var loops = 1
    package var seed: UInt64 = 1
    package var allowHosts: Set<String> = []
    package var printsJSON = false

    package init() {}

    package func run() throws(Failure) -> ExitCode {
        var options = BenchOptions(target: try Origin(parsing: url))
        options.isHTTP2 = !usesHTTP1
        options.connections = connections
        options.streams = streams
        options.requests = requests
        options.rate = rate
        options.tokens = tokens
        options.repeats = repeats
        if let duration { options.duration = duration }
        if let method { options.method = method }
        if let path { options.path = path }
        options.fields = fields
        options.bearer = bearer
        if let bodyFile {
            do { options.body = try FileSystem.read(bodyFile, limit: 64 << 20) } catch {
                throw Failure(.usage, "cannot read \(bodyFile): \(error.words)", hint: "give a file with the request body")
            }
        } else {
            options.body = BenchOptions.alertBody(bytes: bodyBytes)
        }
        if let caFile { try CertificateFile.check(caFile) }
        options.caFile = caFile
        options.loops = loops
        options.seed = Seed(seed)
        options.allowHosts = allowHosts
        let result = try Bench.run(options)
        Console.out(printsJSON ? Self.json(result, options).text + "\n" : Self.text(result, options))
        if result.lateness.value(at: 99) > Self.latenessBudget.nanoseconds { return .inconclusive }
        return result.failed == 0 && result.refused == 0 && result.unsent == 0 ? .passed : .gateBreached
    }

    /// What lies beyond it at p99 is the bench's own doing, as in a run (`Scenario.latenessBudget`).
    private static let latenessBudget = Interval.milliseconds(10)

    private static func text(_ result: BenchResult, _ options: BenchOptions) -> String {
        func time(_ percentile: Double, of histogram: Histogram? = nil) -> String {
            Interval(nanoseconds: (histogram ?? result.latency).value(at: percentile)).description
        }
        let isLate = result.lateness.value(at: 99) > latenessBudget.nanoseconds
        let pace = options.rate.map { rate in
            let lateness = "our lateness p99 \(time(99, of: result.lateness))"
            return "planned   \(rate) a second, latency from the planned instant; \(result.unsent) never sent; \(lateness)\n"
                + (isLate ? "late      the bench itself was the limit: these figures say nothing of the peer\n" : "")
        }
        let statuses = result.statuses.map { "\($0.status): \($0.count)" }.joined(separator: ", ")
        let failures = result.failures.filter { $0.count > 0 }.map { "\($0.kind): \($0.count)" }.joined(separator: ", ")
        let refusals = result.refusals.prefix(5).map { refusal in
            "refused   \(refusal.status) × \(refusal.count): \(Escaping.terminal(refusal.body))\n"
        }.joined()
        return """
            \(pace ?? "")traffic   \(options.traffic)
            requests  \(result.answered) answered in \(result.elapsed), \(Int(result.perSecond)) a second
            statuses  \(statuses)
            \(refusals)failures  \(failures.isEmpty ? "none" : failures)
            latency   p50 \(time(50)), p90 \(time(90)), p99 \(time(99)), p99.9 \(time(99.9)), max \(time(100))
            CPU       \(result.cpuPerRequest) per request (\(result.cpuUser) user, \(result.cpuSystem) system)

            """
    }

    private static func json(_ result: BenchResult, _ options: BenchOptions) -> JSONValue {
        var statuses = JSONObject()
        for (status, count) in result.statuses { statuses[String(status)] = .integer(Int64(count)) }
        return [
            "traffic": .string(options.traffic), "rate": options.rate.map { .number($0) } ?? .null,
            "unsent": .integer(Int64(result.unsent)), "latenessNanosecondsP99": .integer(result.lateness.value(at: 99)),
            "answered": .integer(Int64(result.answered)), "failed": .integer(Int64(result.failed)),
            "elapsedNanoseconds": .integer(result.elapsed.nanoseconds), "perSecond": .number(result.perSecond),
            "statuses": .object(statuses),
            "refusals": .array(
                result.refusals.map {
                    ["status": .integer(Int64($0.status)), "body": .string($0.body), "count": .integer(Int64($0.count))]
                }),
            "cpuNanosecondsPerRequest": .integer(result.cpuPerRequest.nanoseconds),
            "latencyNanoseconds": [
                "p50": .integer(result.latency.value(at: 50)), "p90": .integer(result.latency.value(at: 90)),
                "p99": .integer(result.latency.value(at: 99)), "p999": .integer(result.latency.value(at: 99.9)),
                "max": .integer(result.latency.max),
            ],
        ]
    }
}
