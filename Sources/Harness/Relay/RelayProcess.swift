// The relay under test as a process of ours, with all that descends from it: started, watched, ended, always by its own id.
// A keeper stands between it and us (see CLinux/keeper.h), so a relay behind a shell or npm does not outlive the run.

import Basics
import CLinux
import EventLoop
import Glibc
import OperatingSystem
import Reports
import Scenarios

/// Confined to the thread that runs the harness. No call of it waits for the relay, `stop` aside; when it goes, all that
/// is left of the relay is killed.
final class RelayProcess {
    let arguments: [String]
    private let logPath: String
    private let output: RelayOutput
    /// Our end of the socket to the keeper.
    private let control: Descriptor
    /// The keeper's own process, which is no part of the relay.
    let keeper: pid_t
    private var leader: pid_t?
    private var isAnythingLeft = false
    private var end: String?
    private var status: Int32?

    /// Starts the keeper, and not yet the relay: early, while this process is small. `environment` is added to our own.
    /// Output of the relay is appended to its log, within bounds.
    init(arguments: [String], environment: [(name: String, value: String)], logPath: String) throws(Failure) {
        precondition(!arguments.isEmpty, "a command has at least one word")
        self.arguments = arguments
        self.logPath = logPath
        let nothing: Descriptor
        do { nothing = try Descriptor(opening: "/dev/null", O_RDONLY) } catch {
            throw Failure(.run, "cannot read /dev/null: \(error.words)")
        }
        let pipe = try Pipe()
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = Self.environment(with: environment).map { strdup($0) } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var keeper: pid_t = 0
        let number = pushrig_keeper_make(&argv, &envp, [nothing.number, pipe.writing.number], &keeper)
        withExtendedLifetime(nothing) {}
        guard number >= 0 else {
            throw Failure(.run, "cannot start a process: \(SystemCall.describe(-number))", hint: "check `ulimit -u` and `-n`")
        }
        self.keeper = keeper
        control = Descriptor(owning: number)
        output = try RelayOutput(from: pipe, to: logPath)
    }

    /// The keeper kills what is left and ends; what hangs in the kernel is not waited for.
    deinit {
        shutdown(control.number, Int32(SHUT_RDWR))
        for _ in 0..<1_000 {
            var status: Int32 = 0
            if waitpid(keeper, &status, WNOHANG) != 0 { break }
            usleep(5_000)
        }
        output.stop()
    }

    private static func environment(with added: [(name: String, value: String)]) -> [String] {
        var variables: [String: String] = [:]
        var cursor = environ
        while let entry = cursor.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            cursor += 1
        }
        for (name, value) in added { variables[name] = value }
        return variables.map { "\($0.key)=\($0.value)" }.sorted()
    }

    /// Only when nothing of it is left.
    func start() throws(Failure) {
        say(pushrig_word_start, 0)
        // Answered at once: it has been tried, whatever the program does then.
        while let word = hear(waiting: true) {
            if Int(word.kind) == Int(pushrig_word_refused) { throw cannotStart(word.value) }
            if Int(word.kind) == Int(pushrig_word_started) { return }
        }
        throw cannotStart(ESRCH)
    }

    private func cannotStart(_ number: Int32) -> Failure {
        Failure(
            .run, "cannot start the relay '\(arguments[0])': \(SystemCall.describe(number))",
            hint: "check the command behind --, or `relay.launch` in the scenario: it is looked for from the folder in which "
                + "pushrig was started, or in PATH")
    }

    /// Of the program itself, while it runs.
    var identifier: pid_t? {
        listen()
        return leader
    }

    /// False once the program itself has ended; then `ending` says how.
    var isRunning: Bool { identifier != nil }

    /// Neither it nor anything that it started is left.
    var isGone: Bool {
        listen()
        return !isAnythingLeft
    }

    /// How it ended, if it did, in words.
    var ending: String? {
        listen()
        return end
    }

    /// As a shell tells it, once it has ended: its exit code, or 128 and the signal that ended it.
    var exitCode: Int32? {
        listen()
        return status.map(ChildProcess.code)
    }

    /// To the program and its process group.
    func send(_ signal: ProcessSignal) { say(pushrig_word_signal, signal.number) }

    /// Ends it with `spec.signal`, with KILL after `spec.grace`, and waits until nothing of it is left.
    func stop(_ spec: StopSpec) {
        guard !isGone else { return }
        send(spec.signal)
        let time = SystemTime()
        let deadline = time.now() + spec.grace
        var isKilled = spec.signal == .kill
        while !isGone {
            let now = time.now()
            if now >= deadline, !isKilled {
                send(.kill)
                isKilled = true
            }
            // What SIGKILL does not end hangs in the kernel; nobody can wait for that.
            if now >= deadline + .seconds(5) { return }
            usleep(5_000)
        }
    }

    /// The last lines of its log, for an error message: what a terminal would obey is visible in them.
    var lastWords: String {
        output.settle()
        let text = FileSystem.lastLines(of: logPath, count: 4_096) ?? ""
        return text.split(separator: "\n").suffix(5).map { Escaping.terminal(String($0)) }.joined(separator: "\n")
    }

    /// Bytes that it printed and that stand in no log.
    var leftOut: Int { output.leftOut }

    // MARK: The keeper

    private func say<Kind: BinaryInteger>(_ kind: Kind, _ value: Int32) {
        var word = pushrig_word(kind: Int32(kind), value: value)
        _ = SystemCall.run { Glibc.send(control.number, &word, MemoryLayout<pushrig_word>.size, Int32(MSG_NOSIGNAL)) }
    }

    private func listen() { while hear(waiting: false) != nil {} }

    /// The keeper's next word; nil when there is none, or there will be none any more.
    private func hear(waiting: Bool) -> pushrig_word? {
        var word = pushrig_word()
        let flags = waiting ? 0 : Int32(MSG_DONTWAIT)
        switch SystemCall.run({ recv(control.number, &word, MemoryLayout<pushrig_word>.size, flags) }) {
        case .wouldBlock: return nil
        case .done(let count) where count == MemoryLayout<pushrig_word>.size: break
        case .done, .failed:
            // Somebody has killed the keeper, and the relay with it.
            if isAnythingLeft { end = end ?? "was ended with its keeper" }
            leader = nil
            isAnythingLeft = false
            return nil
        }
        switch Int(word.kind) {
        case Int(pushrig_word_started):
            leader = word.value
            isAnythingLeft = true
            end = nil
        case Int(pushrig_word_ended):
            leader = nil
            output.settle()
            status = word.value
            let signal = word.value & 0x7F
            end = signal == 0 ? "exited with code \((word.value >> 8) & 0xFF)" : "was ended by signal \(signal)"
        case Int(pushrig_word_gone): isAnythingLeft = false
        default: break
        }
        return word
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
