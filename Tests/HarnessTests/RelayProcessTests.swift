// Relays of a line or two of shell, started, watched and ended.

import Basics
import EventLoop
import Foundation
import Journal
import OperatingSystem
import Scenarios
import Testing
import Verdicts

@testable import Harness

@Suite struct `A relay process` {
    /// Runs a shell script as the relay; it is gone when `body` is done.
    private func withRelay(
        _ script: String, environment: [(name: String, value: String)] = [],
        _ body: (RelayProcess, String) throws -> Void
    ) throws {
        try Place.withFolder { folder in
            let log = folder + "/relay.log"
            let relay = try RelayProcess(arguments: ["sh", "-c", script], environment: environment, logPath: log)
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
            #expect(relay.ending == "exited with code 3" && relay.identifier == nil && wait { relay.isGone })
        }
    }

    @Test func `has our environment and its own, and its output goes to the log`() throws {
        let script = "echo \"$GREETING from $HOME\"; echo trouble >&2"
        try withRelay(script, environment: [("GREETING", "hello")]) { relay, log in
            #expect(wait { !relay.isRunning })
            let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
            #expect(FileSystem.text(of: log) == "hello from \(home)\ntrouble\n")
        }
    }

    @Test(.timeLimit(.minutes(10))) func `may print without end: beginning and end stand in the log, and how much was left out`() throws {
        let lines = 2_000_000
        try withRelay("echo first; seq \(lines); echo last words") { relay, log in
            #expect(wait { !relay.isRunning })
            #expect(relay.lastWords.hasSuffix("\n\(lines)\nlast words"))
            let text = try #require(FileSystem.text(of: log))
            let most = RelayOutput.mostHead + RelayOutput.mostTail
            #expect(text.utf8.count > most && text.utf8.count < most + 200)
            #expect(text.hasPrefix("first\n1\n2\n") && text.hasSuffix("\n\(lines)\nlast words\n"))
            // 1 to 9, 10 to 99 and so on, each with its line's end.
            let printed = 9 * 2 + 90 * 3 + 900 * 4 + 9_000 * 5 + 90_000 * 6 + 900_000 * 7 + 1_000_001 * 8 + 6 + 11
            #expect(relay.leftOut == printed - most)
            #expect(text.contains("\n[pushrig: \(Numbers.count(printed - most)) bytes that the relay printed are left out here]\n"))
        }
    }

    @Test func `has last words that do nothing to a terminal, also without a line's end`() throws {
        try withRelay("printf 'a\\033[2Jb\\007\\nc\\rd'") { relay, _ in
            #expect(wait { !relay.isRunning })
            #expect(relay.lastWords == "a\u{FFFD}[2Jb\u{FFFD}\nc\u{FFFD}d")
        }
        try withRelay("head -c 10000 /dev/zero | tr '\\0' x") { relay, _ in
            #expect(wait { !relay.isRunning })
            #expect(relay.lastWords == String(repeating: "x", count: 4_096) && relay.leftOut == 0)
        }
    }

    @Test func `has its last five lines as last words, and appends to the log when started again`() throws {
        try withRelay("for i in 1 2 3 4 5 6; do echo $i; done") { relay, log in
            #expect(wait { !relay.isRunning })
            #expect(relay.lastWords == "2\n3\n4\n5\n6" && wait { relay.isGone })
            try relay.start()
            #expect(wait { !relay.isRunning })
            #expect(FileSystem.text(of: log)?.filter { $0 == "1" }.count == 2)
        }
    }

    @Test func `is ended with the signal it wants`() throws {
        try withRelay("trap 'exit 7' INT; echo up; while :; do sleep 0.02; done") { relay, log in
            #expect(wait { FileSystem.text(of: log) == "up\n" })
            #expect(relay.isRunning)
            relay.stop(StopSpec(signal: .int, grace: .seconds(10)))
            #expect(!relay.isRunning && relay.ending == "exited with code 7")
        }
    }

    @Test func `that is deaf to its signal is killed after the grace`() throws {
        try withRelay("trap '' TERM; echo up; while :; do sleep 0.02; done") { relay, log in
            #expect(wait { FileSystem.text(of: log) == "up\n" })
            let begin = SystemTime().now()
            relay.stop(StopSpec(signal: .term, grace: .milliseconds(200)))
            #expect(relay.ending == "was ended by signal 9")
            #expect(SystemTime().now() - begin >= .milliseconds(200))
        }
    }

    /// A process that a relay started, as npm or a shell does, by the number that it wrote down.
    private func number(in log: String) throws -> pid_t {
        #expect(wait { FileSystem.text(of: log)?.hasSuffix("\n") == true })
        let line = try #require(FileSystem.text(of: log)?.split(separator: "\n").first)
        return try #require(pid_t(line))
    }

    /// Neither that process nor a zombie of it.
    private func isGone(_ number: pid_t) -> Bool { kill(number, 0) != 0 }

    @Test(arguments: [
        // Behind a shell; deaf to its signal; in a session of its own, and left behind by its parent.
        "sh -c 'echo $$; while :; do sleep 0.02; done'; true",
        "trap '' TERM; sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.02; done'; true",
        "setsid sh -c 'echo $$; exec sleep 1000' & while :; do sleep 0.02; done",
        "(setsid sh -c 'trap \"\" TERM INT HUP; echo $$; while :; do sleep 0.02; done' &); exec sleep 1000",
    ])
    func `is ended with all that it has started`(script: String) throws {
        try withRelay(script) { relay, log in
            let child = try number(in: log)
            #expect(!isGone(child) && child != relay.identifier)
            relay.stop(StopSpec(signal: .term, grace: .milliseconds(300)))
            #expect(isGone(child) && relay.isGone && !relay.isRunning)
        }
    }

    @Test func `that ended may leave something behind, which ends with the run`() throws {
        var child: pid_t = 0
        try withRelay("sh -c 'echo $$; while :; do sleep 0.02; done' & sleep 0.2; exit 3") { relay, log in
            child = try number(in: log)
            #expect(wait { !relay.isRunning })
            #expect(relay.ending == "exited with code 3" && !relay.isGone && !isGone(child))
            let failure = #expect(throws: Failure.self) { try relay.start() }
            #expect(failure?.message.contains("cannot start the relay") == true)
        }
        #expect(isGone(child))
    }

    @Test func `goes when whoever started it lets go of it, however deaf it is`() throws {
        try Place.withFolder { folder in
            let script = "trap '' TERM HUP INT; sh -c 'trap \"\" TERM HUP INT; echo $$; while :; do sleep 0.02; done'; true"
            var relay: RelayProcess? = try RelayProcess(
                arguments: ["sh", "-c", script], environment: [], logPath: folder + "/relay.log")
            try relay?.start()
            let child = try number(in: folder + "/relay.log")
            let leader = try #require(relay?.identifier)
            let keeper = try #require(relay?.keeper)
            relay = nil
            #expect(isGone(child) && isGone(leader) && isGone(keeper))
        }
    }

    @Test func `goes with its keeper`() throws {
        try withRelay("trap '' TERM; echo $$; while :; do sleep 0.02; done") { relay, log in
            let number = try number(in: log)
            kill(relay.keeper, SIGKILL)
            #expect(wait { !relay.isRunning && isGone(number) })
            #expect(relay.ending == "was ended with its keeper" && relay.isGone)
        }
    }

    @Test func `hears signals that its parent ignores or blocks`() throws {
        let before = signal(SIGINT, SIG_IGN)
        defer { signal(SIGINT, before) }
        try withRelay("echo up; grep -E 'Sig(Blk|Ign)' /proc/self/status; while :; do sleep 0.02; done") { relay, log in
            #expect(wait { FileSystem.text(of: log)?.split(separator: "\n").count == 3 })
            let masks = (FileSystem.text(of: log) ?? "").split(separator: "\n").dropFirst().compactMap { $0.split(separator: "\t").last }
            // 32 and 33 are the C library's own.
            #expect(masks.map { (UInt64($0, radix: 16) ?? 1) & ~(3 << 31) } == [0, 0], "\(masks)")
            relay.stop(StopSpec(signal: .int, grace: .seconds(10)))
            #expect(relay.ending == "was ended by signal 2")
        }
    }

    @Test func `is in a process group of its own, and holds none of our files`() throws {
        try withRelay("echo up; exec sleep 1000") { relay, _ in
            let identifier = try #require(relay.identifier)
            #expect(wait { FileSystem.destination(of: "/proc/\(identifier)/exe")?.hasSuffix("sleep") == true })
            #expect(getpgid(identifier) == identifier && getpgrp() != identifier)
            // Just behind `exec` the loader holds one more, its libraries one after the other.
            #expect(wait { (try? FileSystem.names(in: "/proc/\(identifier)/fd"))?.sorted() == ["0", "1", "2"] })
            #expect((try? FileSystem.names(in: "/proc/\(relay.keeper)/fd"))?.count == 7)
        }
    }

    @Test func `is sampled with its children`() throws {
        try withRelay("exec 7</dev/null; sh -c 'echo $$; while :; do :; done' & echo 1; wait") { relay, log in
            #expect(wait { FileSystem.text(of: log)?.split(separator: "\n").count == 2 })
            #expect(wait { (ProcessTree().sample(below: relay.keeper)?.cpu ?? .zero) > .milliseconds(50) })
            let sample = try #require(ProcessTree().sample(below: relay.keeper))
            #expect(sample.residentBytes > 500_000 && sample.descriptors >= 7 && sample.sockets == 0)
            relay.stop(StopSpec(signal: .kill, grace: .zero))
            #expect(ProcessTree().sample(below: relay.keeper) == nil)
        }
        let python = "import socket, time; kept = [socket.socket() for _ in range(5)]; print('up', flush=True); time.sleep(100)"
        try withRelay("exec python3 -c \"\(python)\"") { relay, log in
            #expect(wait { FileSystem.text(of: log) == "up\n" })
            #expect(ProcessTree().sample(below: relay.keeper)?.sockets == 5)
        }
    }

    @Test func `that has to wait for a processor is told with the longest wait of one thread`() throws {
        let first = "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')"
        let loops = "for i in 1 2 3; do taskset -c \(first) sh -c 'while :; do :; done' & done; echo up; wait"
        try withRelay(loops) { relay, log in
            #expect(wait { FileSystem.text(of: log) == "up\n" })
            let tree = ProcessTree()
            #expect(tree.sample(below: relay.keeper)?.relayWaited == .zero, "nothing to compare with")
            #expect(wait { (tree.sample(below: relay.keeper)?.relayWaited ?? .zero) > .milliseconds(2) })
        }
    }

    @Test func `that cannot be started is told with what to look at`() throws {
        try Place.withFolder { folder in
            let relay = try RelayProcess(arguments: ["/no/such/relay"], environment: [], logPath: folder + "/relay.log")
            let failure = #expect(throws: Failure.self) { try relay.start() }
            let isTold = failure?.hint?.hasPrefix("check the command behind --, or `relay.launch` in the scenario")
            #expect(failure?.kind == .run && isTold == true)
            #expect(failure?.message.contains("cannot start the relay '/no/such/relay'") == true)
            #expect(!relay.isRunning)
        }
    }
}
