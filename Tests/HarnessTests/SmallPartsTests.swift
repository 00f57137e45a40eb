// The harness's small parts: a question that is asked once, text to a closed descriptor.

import Basics
import EventLoop
import Glibc
import Testing

@testable import Harness

@Suite struct `The harness's small parts` {
    @Test func `a question is asked once until it is answered, and its answer is given once`() {
        let question = Question<Int>()
        var answers: [@Sendable (Int) -> Void] = []
        func poll() -> Int? { question.poll { answers.append($0) } }
        #expect(poll() == nil && poll() == nil && poll() == nil && answers.count == 1)
        answers[0](7)
        #expect(poll() == 7 && poll() == nil && answers.count == 2)
        answers[1](8)
        question.forget()
        #expect(poll() == nil && answers.count == 3)
    }

    @Test(.timeLimit(.minutes(10))) func `a wait for a signal lasts as long as it may, also a whole second`() async {
        await #expect(processExitsWith: .success) {
            let begun = SystemTime().now()
            let hasCome = Signals().wait(atMost: .seconds(1))
            exit(!hasCome && SystemTime().now() - begun >= .seconds(1) ? 0 : 1)
        }
    }

    @Test func `a signal that nobody attends to yet ends the process at once, also where it was born with it blocked`() async {
        await #expect(processExitsWith: .exitCode(130)) {
            var set = sigset_t()
            sigemptyset(&set)
            sigaddset(&set, SIGTERM)
            pthread_sigmask(SIG_BLOCK, &set, nil)
            _ = Signals()
            pthread_kill(pthread_self(), SIGTERM)
            exit(3)
        }
    }

    @Test func `a signal that is attended to waits for whoever waits for it`() async {
        await #expect(processExitsWith: .success) {
            let signals = Signals()
            signals.attend()
            pthread_kill(pthread_self(), SIGINT)
            exit(signals.wait(atMost: .seconds(1)) ? 0 : 1)
        }
    }

    @Test(.timeLimit(.minutes(10))) func `each address that a mock is given is read before it begins`() async {
        await #expect(processExitsWith: .success) {
            let turns: [(inout MockCommand) -> Void] = [
                { $0.apns = "nowhere" }, { $0.apnsTwin = "nowhere" }, { $0.sandbox = "nowhere" }, { $0.sandboxTwin = "nowhere" },
                { $0.admin = "nowhere" },
            ]
            for turn in turns {
                var command = MockCommand()
                turn(&command)
                do throws(Failure) { exit(try command.run(signals: Signals()) == .passed ? 1 : 2) } catch {
                    guard error.kind == .usage, error.message.contains("nowhere") else { exit(3) }
                }
            }
            exit(0)
        }
    }

    @Test(.timeLimit(.minutes(10))) func `text to nobody is dropped`() async {
        await #expect(processExitsWith: .exitCode(3)) {
            close(STDOUT_FILENO)
            Console.out(String(repeating: "x", count: 100_000))
            exit(3)
        }
    }

    @Test func `a folder in Reports has the scenario's name, where it can be one`() async {
        await #expect(processExitsWith: .success) {
            var template = Array("/tmp/harness-XXXXXX".utf8CString)
            let folder = String(cString: mkdtemp(&template))
            chdir(folder)
            defer { _ = system("rm -rf " + folder) }
            let time = WallTime(iso8601: "2026-11-21T10:11:12Z")!
            func path(_ name: String) throws -> Substring {
                try RunDirectory(chosen: nil, scenario: name, scenarioText: "", at: time).path.dropFirst(folder.count)
            }
            let paths = [try path("a1-b.c/d e"), try path("x")]
            precondition(paths == ["/Reports/2026-11-21-101112-a1-b.c-d-e", "/Reports/2026-11-21-101112-x"])
            // The same name again, for another run of the same second.
            let again = try path("x")
            precondition(again == "/Reports/2026-11-21-101112-x-2")
        }
    }

    @Test func `keys prints what it made, with whole paths`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            var template = Array("/tmp/harness-XXXXXX".utf8CString)
            let folder = String(cString: mkdtemp(&template))
            defer { _ = system("rm -rf " + folder) }
            var command = KeysCommand()
            command.subject = "certificate"
            command.topics = ["com.example.app"]
            command.stateDirectory = folder + "/state"
            let code = try command.run()
            precondition(code == .passed)
        }
        let text = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        let printed = try #require(text.split(separator: "\n").first { $0.hasPrefix("{") })
        let made = try JSONValue(parsing: String(printed))
        #expect(made["kind"] == "certificate" && made["password"]?.string?.isEmpty == false)
        for name in ["file", "keyFile", "pkcs12File"] { #expect(made[name]?.string?.contains("/state/") == true, "\(name)") }
    }

    @Test(arguments: ["words", "claims", "rules"]) func `each list has two columns, the second two places behind the longest name`(kind: String) throws {
        let lines = try Knowledge.list(kind).split(separator: "\n").map(Array.init)
        let names = lines.map { $0.prefix { $0 != " " }.count }
        let width = (names.max() ?? 0) + 2
        for (line, name) in zip(lines, names) where line.count > width {
            #expect(line[name..<width].allSatisfy { $0 == " " } && line[width] != " ", "\(String(line))")
        }
        #expect(lines.contains { $0.count > width })
    }
}
