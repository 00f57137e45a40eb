// The relay under test as a process of ours: started, asked whether it is up, ended, always by its own id.

import Basics
import CLinux
import EventLoop
import Glibc
import Net
import Scenarios

/// Confined to the thread that runs the harness.
final class RelayProcess {
    private let arguments: [String]
    private let environment: [String]
    private let logPath: String
    private(set) var identifier: pid_t?
    /// How it ended, if it did, in words.
    private(set) var ending: String?

    /// `environment` is added to our own.
    init(arguments: [String], environment: [(name: String, value: String)], logPath: String) {
        self.arguments = arguments
        self.logPath = logPath
        var variables: [String: String] = [:]
        var cursor = environ
        while let entry = cursor.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            cursor += 1
        }
        for (name, value) in environment { variables[name] = value }
        self.environment = variables.map { "\($0.key)=\($0.value)" }.sorted()
    }

    /// Output of the relay is appended to its log.
    func start() throws(Failure) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, logPath, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The relay must hear the signals that we keep for ourselves.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = environment.map { strdup($0) } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var number = pid_t()
        let result = posix_spawnp(&number, arguments[0], &actions, &attributes, &argv, &envp)
        guard result == 0 else {
            throw Failure(
                .run, "cannot start the relay '\(arguments[0])': \(SystemCall.describe(result))",
                hint: "check relay.launch in the scenario")
        }
        identifier = number
        ending = nil
    }

    /// False once it has ended; then `ending` says how.
    var isRunning: Bool {
        guard let identifier else { return false }
        var status: Int32 = 0
        guard waitpid(identifier, &status, WNOHANG) == identifier else { return true }
        noteEnd(status)
        return false
    }

    func send(_ signal: ProcessSignal) {
        guard let identifier else { return }
        kill(identifier, signal.number)
    }

    /// Ends it with `spec.signal`, with KILL after `spec.grace`, and waits.
    func stop(_ spec: StopSpec) {
        guard isRunning else { return }
        send(spec.signal)
        let time = SystemTime()
        let deadline = time.now() + spec.grace
        while isRunning {
            if time.now() >= deadline { send(.kill) }
            usleep(5_000)
        }
    }

    /// The last lines of its log, for an error message.
    var lastWords: String {
        let text = FileSystem.read(logPath) ?? ""
        return text.split(separator: "\n").suffix(5).joined(separator: "\n")
    }

    private func noteEnd(_ status: Int32) {
        identifier = nil
        let signal = status & 0x7F
        ending = signal == 0 ? "exited with code \((status >> 8) & 0xFF)" : "was ended by signal \(signal)"
    }
}

extension ProcessSignal {
    var number: Int32 {
        switch self {
        case .term: SIGTERM
        case .kill: SIGKILL
        case .int: SIGINT
        case .hup: SIGHUP
        }
    }
}

/// Asks a relay whether it is up: a GET that answers 2xx.
final class ReadyProbe: Sendable {
    private let thread: LoopThread<ClientPool>
    private let path: String

    init(origin: Origin, path: String) throws(Failure) {
        var configuration = ClientConfiguration(version: .http1)
        configuration.requestTimeout = .seconds(2)
        configuration.connectTimeout = .seconds(2)
        let settings = configuration
        do {
            thread = try LoopThread(name: "ready") { loop in
                try ClientPool(loop: loop, origin: origin, configuration: settings)
            }
        } catch { throw error as? Failure ?? Failure(.run, "cannot ask the relay: \(error)") }
        self.path = path
    }

    deinit {
        thread.post { $0.close() }
        thread.stop()
    }

    /// One question.
    func isReady() -> Bool {
        let answer = Handover<Bool>()
        let path = path
        thread.post { pool in
            pool.send(OutgoingRequest(method: "GET", path: path)) { outcome in
                if case .response(let response) = outcome {
                    answer.give((200..<300).contains(response.status))
                } else {
                    answer.give(false)
                }
            }
        }
        return answer.take()
    }
}
