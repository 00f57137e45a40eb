// A mock that an agent has started, and what it asks of it.

import Basics
import MockServer
import OperatingSystem
import Scenarios

/// Confined to the thread that runs the harness; its mock ends with it.
final class AgentMock {
    let state: String
    private let process: RelayProcess
    /// It was made for this mock, and goes with it.
    private let isTemporary: Bool

    init(words: [String], state: String, isTemporary: Bool, log: String) throws(Failure) {
        self.state = state
        self.isTemporary = isTemporary
        process = try RelayProcess(
            arguments: [FileSystem.executable] + words + ["--state=" + state], environment: [], logPath: log)
        try process.start()
    }

    func stop() {
        process.stop(StopSpec())
        if isTemporary { FileSystem.removeAll(state) }
    }

    /// Where it is; nil: not yet. Throws when it has ended instead.
    func coordinates() throws(Failure) -> MockCoordinates? {
        if process.isGone { throw Failure(.run, process.lastWords.isEmpty ? "the mock ended" : process.lastWords) }
        return RunningMock.isUp(state) ? try? RunningMock.coordinates(in: state) : nil
    }

    /// The tools that are no verbs.
    static func tools(_ mock: AgentTool) -> [JSONValue] {
        [
            [
                "name": "start_mock",
                "description": """
                    Starts a mock of APNs, and with `fcm` of FCM, on free ports of this machine. Answers where it listens, \
                    with its authority and keys: what a relay is to be told. It ends with this session.
                    """,
                "inputSchema": mock.inputSchema,
            ],
            [
                "name": "stop_mock", "description": "Ends a mock that start_mock has started.",
                "inputSchema": [
                    "type": "object", "required": ["state"], "additionalProperties": false,
                    "properties": ["state": ["type": "string", "description": "as start_mock told it"]],
                ],
            ],
            [
                "name": "mock_request",
                "description": """
                    Asks the admin API of a mock that is up: GET /v1/pushes?limit=20 tells what relays pushed, POST /v1/faults \
                    {"match":{"token":"…"},"action":{"respond":{"reason":"BadDeviceToken"}},"times":3} scripts an answer, \
                    PUT /v1/tokens/TOKEN {"state":"unregistered"} kills a token, GET /v1/findings tells what was wrong with \
                    pushes, POST /v1/reset forgets all.
                    """,
                "inputSchema": [
                    "type": "object",
                    "properties": [
                        "state": ["type": "string", "description": "the mock's state directory"],
                        "method": ["type": "string", "enum": .array(methods.map { .string($0) })],
                        "path": ["type": "string", "pattern": "^/v1/"], "body": ["type": "object"],
                    ],
                    "required": ["state", "path"], "additionalProperties": false,
                ],
            ],
        ]
    }

    private static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]

    /// Of a mock that is up on `state`, whoever started it.
    static func ask(_ input: JSONValue) throws(Failure) -> JSONValue {
        guard let state = input["state"]?.string, let path = input["path"]?.string, path.hasPrefix("/v1/") else {
            throw Failure(.usage, "mock_request needs `state`, and a `path` that begins with /v1/")
        }
        let method = input["method"]?.string ?? methods[0]
        guard methods.contains(method) else {
            throw Failure(.usage, "there is no method \(method)", hint: Suggestion.hint(for: method, among: methods))
        }
        let found = try RunningMock.coordinates(in: state)
        guard let url = found.adminURL else { throw Failure(.run, "the mock on \(state) has no admin API") }
        let client = try AdminClient(url, allowHosts: [], token: found.adminToken)
        let answer = try client.ask(method, path, input["body"])
        let object = answer.body.object.map { JSONValue.object($0) } ?? ["body": answer.body]
        return [
            "content": [["type": "text", "text": .string("\(answer.status)\n\(answer.body.text)")]],
            "structuredContent": ["status": .integer(Int64(answer.status)), "body": object],
            "isError": .bool(answer.status >= 400),
        ]
    }
}
