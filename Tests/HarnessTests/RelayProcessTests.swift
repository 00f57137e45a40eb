// Relays of a line or two of shell, started, watched and ended.

import Basics
import EventLoop
import Foundation
import Scenarios
import Testing

@testable import Harness

@Suite struct `A relay process` {
    /// Runs a shell script as the relay; it is gone when `body` is done.
    private func withRelay(
        _ script: String, environment: [(name: String, value: String)] = [],
        _ body: (RelayProcess, String) throws -> Void
    ) throws {
        try Place.withFolder { folder in
            let log = folder + "/relay.log"
            let relay = RelayProcess(arguments: ["sh", "-c", script], environment: environment, logPath: log)
            try relay.start()
            defer { relay.stop(StopSpec(signal: .kill, grace: .zero)) }
            try body(relay, log)
        }
    }

    private func wait(for what: () -> Bool) -> Bool {
        for _ in 0..<2_000 {
            if what() { return true }
            usleep(5_000)
        }
        return false
    }

    @Test func `ends with a code that is told`() throws {
        try withRelay("exit 3") { relay, _ in
            #expect(wait { !relay.isRunning })
            #expect(relay.ending == "exited with code 3" && relay.identifier == nil)
        }
    }

    @Test func `has our environment and its own, and its output goes to the log`() throws {
        let script = "echo \"$GREETING from $HOME\"; echo trouble >&2"
        try withRelay(script, environment: [("GREETING", "hello")]) { relay, log in
            #expect(wait { !relay.isRunning })
            let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
            #expect(FileSystem.read(log) == "hello from \(home)\ntrouble\n")
        }
    }

    @Test func `has its last five lines as last words, and appends to the log when started again`() throws {
        try withRelay("for i in 1 2 3 4 5 6; do echo $i; done") { relay, log in
            #expect(wait { !relay.isRunning })
            #expect(relay.lastWords == "2\n3\n4\n5\n6")
            try relay.start()
            #expect(wait { !relay.isRunning })
            #expect(FileSystem.read(log)?.filter { $0 == "1" }.count == 2)
        }
    }

    @Test func `is ended with the signal it wants`() throws {
        try withRelay("trap 'exit 7' INT; echo up; while :; do sleep 0.02; done") { relay, log in
            #expect(wait { FileSystem.read(log) == "up\n" })
            #expect(relay.isRunning)
            relay.stop(StopSpec(signal: .int, grace: .seconds(10)))
            #expect(!relay.isRunning && relay.ending == "exited with code 7")
        }
    }

    @Test func `that is deaf to its signal is killed after the grace`() throws {
        try withRelay("trap '' TERM; echo up; while :; do sleep 0.02; done") { relay, log in
            #expect(wait { FileSystem.read(log) == "up\n" })
            let begin = SystemTime().now()
            relay.stop(StopSpec(signal: .term, grace: .milliseconds(200)))
            #expect(relay.ending == "was ended by signal 9")
            #expect(SystemTime().now() - begin >= .milliseconds(200))
        }
    }

    /// The thread stands for the run: what is killed takes its threads along.
    @Test func `dies with the thread that started it, however that ends`() throws {
        try Place.withFolder { folder in
            let number = Handover<pid_t?>()
            let ended = Handover<Void>()
            Thread.detachNewThread {
                let script = "trap '' TERM HUP INT; echo up; while :; do sleep 0.02; done"
                let relay = RelayProcess(arguments: ["sh", "-c", script], environment: [], logPath: folder + "/relay.log")
                try? relay.start()
                number.give(relay.identifier)
                ended.take()
            }
            let identifier = try #require(number.take())
            #expect(wait { FileSystem.read(folder + "/relay.log") == "up\n" })
            #expect(kill(identifier, 0) == 0)
            ended.give(())
            var status: Int32 = 0
            #expect(wait { waitpid(identifier, &status, WNOHANG) == identifier })
            #expect(status & 0x7F == SIGKILL)
        }
    }

    @Test func `that cannot be started is told with what to look at`() throws {
        try Place.withFolder { folder in
            let relay = RelayProcess(arguments: ["/no/such/relay"], environment: [], logPath: folder + "/relay.log")
            let failure = #expect(throws: Failure.self) { try relay.start() }
            #expect(failure?.kind == .run && failure?.hint == "check relay.launch in the scenario")
            #expect(failure?.message.contains("cannot start the relay '/no/such/relay'") == true)
            #expect(!relay.isRunning)
        }
    }
}
