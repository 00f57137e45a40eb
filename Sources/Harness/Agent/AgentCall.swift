// A call of a tool that is under way: a process of this program, and what is answered when it ends.

import Basics
import EventLoop
import OperatingSystem
import Scenarios

/// Confined to the thread that runs the harness.
final class AgentCall {
    /// Of the request that is answered.
    let id: JSONValue
    private let process: RelayProcess
    private let log: String
    private var deadline: Instant
    private var isOverdue = false

    /// Bytes of output that an answer carries.
    private static let most = 256 << 10
    /// A search, the longest of all, is bounded by its own budget.
    private static let patience = Interval.seconds(3_600)
    /// For an end in order.
    private static let grace = Interval.seconds(20)

    init(id: JSONValue, words: [String], log: String, now: Instant) throws(Failure) {
        self.id = id
        self.log = log
        deadline = now + Self.patience
        process = try RelayProcess(
            arguments: [FileSystem.executable] + words, environment: [(name: "NO_COLOR", value: "1")], logPath: log)
        try process.start()
    }

    func cancel() { process.send(.int) }

    /// Nobody hears its answer any more.
    func stop() { process.stop(StopSpec(signal: .int)) }

    /// What is answered, once the process has ended.
    func result(at now: Instant) -> JSONValue? {
        guard process.isGone else {
            if now > deadline {
                process.send(isOverdue ? .kill : .int)
                isOverdue = true
                deadline = now + Self.grace
            }
            return nil
        }
        _ = process.lastWords
        var bytes = (try? FileSystem.start(of: log, count: Self.most + 1)) ?? []
        let isCut = bytes.count > Self.most
        if isCut { bytes.removeLast(bytes.count - Self.most) }
        let text = String(decoding: bytes, as: UTF8.self) + (isCut ? "\n… cut after \(Self.most) bytes\n" : "")
        FileSystem.remove(log)
        let code = process.exitCode ?? ExitCode.couldNotRun.rawValue
        return Self.result(text, code)
    }

    /// A verdict is no error of the tool; a file that is wrong, or a run that could not begin, is.
    static func result(_ text: String, _ code: Int32) -> JSONValue {
        [
            "content": [["type": "text", "text": .string(text)]],
            "structuredContent": ["exitCode": .integer(Int64(code)), "meaning": .string(meaning(code))],
            "isError": .bool(code == 1 || code == 2),
        ]
    }

    static let outputSchema: JSONValue = [
        "type": "object",
        "properties": [
            "exitCode": ["type": "integer", "description": .string(codes)],
            "meaning": ["type": "string"],
        ],
        "required": ["exitCode", "meaning"],
    ]

    private static let codes =
        "0 passed, 1 could not run, 2 bad usage, 3 gate breached, 4 conformance broken, 5 inconclusive, 130 interrupted"

    private static func meaning(_ code: Int32) -> String {
        switch ExitCode(rawValue: code) {
        case .passed: "passed"
        case .couldNotRun: "could not run"
        case .badUsage: "bad usage"
        case .gateBreached: "gate breached"
        case .conformanceBroken: "conformance broken"
        case .inconclusive: "inconclusive"
        case .interrupted: "interrupted"
        case nil: "ended with \(code)"
        }
    }
}
