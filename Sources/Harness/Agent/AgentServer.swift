// `pushrig mcp`: the verbs as tools for agents, over standard input and output.
// Source: Model Context Protocol, revision 2025-06-18, "Lifecycle", "Transports" (stdio), "Tools"; JSON-RPC 2.0 §5.

package import Basics
import EventLoop
import MockServer
import OperatingSystem

/// Confined to the thread that runs the harness, which it holds until the input ends or a signal comes.
package final class AgentServer {
    private let tools: [AgentTool]
    private let mock: AgentTool
    private let input = AgentInput()
    private let time = SystemTime()
    private var calls: [AgentCall] = []
    private var starting: [(id: JSONValue, mock: AgentMock, deadline: Instant)] = []
    private var mocks: [AgentMock] = []
    /// Logs of what is under way.
    private let folder: String
    private var begun = 0

    private static let versions = ["2025-06-18", "2025-03-26", "2024-11-05"]
    /// Calls under way at once.
    private static let mostCalls = 16
    private static let pace = Interval.milliseconds(10)

    /// `mock` is the verb that start_mock stands for.
    package init(tools: [AgentTool], mock: AgentTool) throws(Failure) {
        self.tools = tools
        self.mock = mock
        do { folder = try FileSystem.makeTemporaryFolder() } catch {
            throw Failure(.run, "cannot make a folder for logs: \(error.words)")
        }
    }

    deinit { FileSystem.removeAll(folder) }

    package func run(signals: Signals) throws(Failure) -> ExitCode {
        signals.attend()
        try input.start()
        repeat {
            let hasEnded = input.hasEnded
            for line in input.take() { handle(line) }
            attend()
            // Whoever asked is gone, and with it what is under way.
            if hasEnded { break }
        } while !signals.wait(atMost: Self.pace)
        for call in calls { call.stop() }
        for mock in mocks + starting.map(\.mock) { mock.stop() }
        return .passed
    }

    /// Answers what has come to its end.
    private func attend() {
        let now = time.now()
        calls.removeAll { call in
            guard let result = call.result(at: now) else { return false }
            answer(call.id, result)
            return true
        }
        starting.removeAll { id, mock, deadline in
            do throws(Failure) {
                if let found = try mock.coordinates() {
                    mocks.append(mock)
                    var object = found.json.object ?? JSONObject()
                    object["state"] = .string(mock.state)
                    answer(id, [
                        "content": [["type": "text", "text": .string(JSONValue.object(object).text)]],
                        "structuredContent": .object(object), "isError": false,
                    ])
                    return true
                }
                guard now > deadline else { return false }
                throw Failure(.run, "the mock did not come up in time")
            } catch {
                mock.stop()
                answer(id, AgentCall.result("\(error)", ExitCode.couldNotRun.rawValue))
                return true
            }
        }
    }

    // MARK: Messages

    private func handle(_ line: [UInt8]) {
        guard let message = try? JSONValue(parsing: line.span) else { return fail(.null, -32700, "this is no JSON") }
        guard message["jsonrpc"]?.string == "2.0", let method = message["method"]?.string else {
            // An answer: we ask nothing.
            if message["method"] == nil, message["id"] != nil, message["result"] != nil || message["error"] != nil { return }
            return fail(message["id"] ?? .null, -32600, "this is no request of JSON-RPC 2.0")
        }
        let parameters = message["params"] ?? [:]
        guard let id = message["id"] else {
            if method == "notifications/cancelled", let named = parameters["requestId"] {
                calls.first { $0.id == named }?.cancel()
            }
            return
        }
        switch method {
        case "initialize": answer(id, initialized(parameters["protocolVersion"]?.string))
        case "ping": answer(id, [:])
        case "tools/list": answer(id, ["tools": .array(listed)])
        case "tools/call": call(id, parameters)
        default: fail(id, -32601, "there is no method \(method)")
        }
    }

    private func initialized(_ version: String?) -> JSONValue {
        [
            "protocolVersion": .string(version.flatMap { Self.versions.contains($0) ? $0 : nil } ?? Self.versions[0]),
            "capabilities": ["tools": [:]],
            "serverInfo": ["name": "pushrig", "title": "PushRig", "version": .string(Build.version)],
            "instructions": """
                PushRig tests push relays: servers that forward events to APNs and FCM. Use `check` to ask a relay all that \
                its profile can be asked, `run` for a scenario under load, `explain` for a rule, reason or word of a report, \
                `journal` for the history around a finding, `judge` to judge a saved run again, `lint` for files that you have \
                written. \
                Paths are relative to the folder in which this server was started. Nothing is sent to hosts beyond this machine.
                """,
        ]
    }

    private var listed: [JSONValue] {
        tools.map { tool in
            [
                "name": .string(tool.verb), "description": .string(tool.summary), "inputSchema": tool.inputSchema,
                "outputSchema": AgentCall.outputSchema,
            ]
        } + AgentMock.tools(mock)
    }

    private func call(_ id: JSONValue, _ parameters: JSONValue) {
        let arguments = parameters["arguments"] ?? [:]
        do throws(Failure) {
            switch parameters["name"]?.string {
            case "start_mock": try startMock(id, arguments)
            case "stop_mock": answer(id, try stopMock(arguments))
            case "mock_request": answer(id, try AgentMock.ask(arguments))
            case let name:
                guard let tool = tools.first(where: { $0.verb == name }) else {
                    return fail(id, -32602, "there is no tool \(name ?? "without a name")")
                }
                let words = try tool.words(arguments)
                guard calls.count < Self.mostCalls else {
                    throw Failure(.run, "\(Self.mostCalls) calls are under way", hint: "wait for one to end")
                }
                calls.append(try AgentCall(id: id, words: words, log: nextLog, now: time.now()))
            }
        } catch {
            answer(id, AgentCall.result("\(error)", (error.kind == .usage ? ExitCode.badUsage : .couldNotRun).rawValue))
        }
    }

    private var nextLog: String {
        begun += 1
        return "\(folder)/\(begun).log"
    }

    private func startMock(_ id: JSONValue, _ arguments: JSONValue) throws(Failure) {
        guard mocks.count + starting.count < Self.mostCalls else {
            throw Failure(.run, "\(Self.mostCalls) mocks are up", hint: "stop_mock ends one")
        }
        let words = try mock.words(arguments).filter { !$0.hasPrefix("--state=") }
        var state = arguments["state"]?.string
        if state == nil {
            do { state = try FileSystem.makeTemporaryFolder() } catch {
                throw Failure(.run, "cannot make a folder for the mock: \(error.words)")
            }
        }
        let started = try AgentMock(
            words: words, state: state!, isTemporary: arguments["state"]?.string == nil, log: nextLog)
        starting.append((id, started, time.now() + .seconds(10)))
    }

    private func stopMock(_ arguments: JSONValue) throws(Failure) -> JSONValue {
        guard let place = mocks.firstIndex(where: { $0.state == arguments["state"]?.string }) else {
            throw Failure(.usage, "no mock of this session has that state", hint: "start_mock tells it")
        }
        mocks.remove(at: place).stop()
        return ["content": [["type": "text", "text": "stopped"]], "isError": false]
    }

    private func answer(_ id: JSONValue, _ result: JSONValue) {
        Console.out(JSONValue(dictionaryLiteral: ("jsonrpc", "2.0"), ("id", id), ("result", result)).text + "\n")
    }

    private func fail(_ id: JSONValue, _ code: Int64, _ words: String) {
        let error: JSONValue = ["code": .integer(code), "message": .string(words)]
        Console.out(JSONValue(dictionaryLiteral: ("jsonrpc", "2.0"), ("id", id), ("error", error)).text + "\n")
    }
}
