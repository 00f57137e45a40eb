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

    /// Output of the relay is appended to its log. The relay dies with the thread that starts it, also when that is
    /// killed: a run that ends in whatever way leaves no relay behind.
    func start() throws(Failure) {
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        let log = open(logPath, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        defer { for number in [nothing, log] where number >= 0 { close(number) } }
        guard nothing >= 0, log >= 0 else {
            throw Failure(.run, "cannot write \(logPath): \(SystemCall.describe(errno))")
        }
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = environment.map { strdup($0) } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        let number = pushrig_spawn(&argv, &envp, [nothing, log, log])
        guard number > 0 else {
            throw Failure(
                .run, "cannot start the relay '\(arguments[0])': \(SystemCall.describe(-number))",
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

    init(target: CheckedOrigin, path: String) throws(Failure) {
        var configuration = ClientConfiguration(version: .http1)
        configuration.requestTimeout = .seconds(2)
        configuration.connectTimeout = .seconds(2)
        let settings = configuration
        do {
            thread = try LoopThread(name: "ready") { loop in
                try ClientPool(loop: loop, target: target, configuration: settings)
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
