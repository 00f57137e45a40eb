// What commands tell their user, beside the files that they write.

import Basics
import EventLoop
import Glibc
import LoadGenerator
import MockServer
import Net
import Reports
import Testing
import Verdicts

@testable import Harness

/// Gives every request the same answer.
private final class Answers: ServerHandler {
    let status: Int
    init(_ status: Int) { self.status = status }
    func handle(_ exchange: ServerExchange) { exchange.respond(status: status, body: Array("so it is".utf8)) }
    func abandoned(_ exchange: ServerExchange) {}
}

@Suite struct `What commands tell` {
    @Test func `a bench fails when anything was refused, and prints what was said`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            for (status, code) in [(200, ExitCode.passed), (410, .gateBreached)] {
                let socket = try ListeningSocket(SocketAddress(host: "127.0.0.1", port: 0))
                let port = socket.boundAddress.port
                let thread = try LoopThread(name: "answers") { loop in
                    let server = try Server(loop: loop, configuration: ServerConfiguration(), handler: Answers(status))
                    server.listen(on: socket)
                    return server
                }
                var command = BenchCommand()
                command.url = "http://127.0.0.1:\(port)"
                command.requests = 50
                let told = try command.run()
                precondition(told == code)
                thread.stop()
            }
        }
        let lines = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self).split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("statuses") } == ["statuses  200: 50", "statuses  410: 50"])
        #expect(lines.filter { $0.hasPrefix("refused") } == ["refused   410 × 50: so it is"])
    }

    @Test func `a run's lines come every two seconds, and count pushes that were refused`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            var options = RunOptions(scenarioPath: "")
            options.isPlain = true
            let time = ManualTime()
            let panel = RunPanel(title: "some", options: options, total: .seconds(60), time: time)
            let origin = Instant(nanoseconds: 1)
            for seconds in [1.0, 2.9, 3] {
                time.advance(by: origin + .seconds(seconds) - time.now())
                var mock = MockStatistics()
                mock.pushes = Int(seconds * 10)
                mock.byStatus = [200: 4, 410: 2, 500: 1]
                panel.show(
                    Conductor.Moment(
                        now: origin + .seconds(seconds), origin: origin, phase: "measure", load: LoadSnapshot(), mock: mock, faults: []))
            }
            panel.finish()
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
            .filter { $0.contains("measure") }
        #expect(lines.count == 2 && lines.allSatisfy { $0.hasSuffix(", refused 3") })
        #expect(lines.map { $0.contains("pushes 10 ") } == [true, false] && lines.last?.contains("pushes 30 ") == true)
    }

    @Test func `on a terminal a run has a panel in colour, where errors go to one`() async {
        await #expect(processExitsWith: .success) {
            var (master, slave): (Int32, Int32) = (0, 0)
            guard openpty(&master, &slave, nil, nil, nil) == 0 else { exit(2) }
            let reader = fcntl(master, F_DUPFD, 50)
            dup2(slave, STDERR_FILENO)
            // Nothing else is a terminal.
            for descriptor in [master, slave, STDOUT_FILENO] { close(descriptor) }
            setenv("TERM", "xterm", 1)
            unsetenv("NO_COLOR")
            let time = ManualTime()
            let panel = RunPanel(title: "some", options: RunOptions(scenarioPath: ""), total: .seconds(60), time: time)
            panel.show(
                Conductor.Moment(
                    now: time.now(), origin: time.now(), phase: "measure", load: LoadSnapshot(), mock: MockStatistics(), faults: []))
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = read(reader, &bytes, bytes.count)
            let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            exit(text.contains("some") && text.contains("\u{1b}[1m") ? 0 : 1)
        }
    }

    @Test(arguments: [
        ("processor\t: 0\nmodel name\t: Some CPU: 3 GHz\nmodel name\t: Other\n", "Some CPU: 3 GHz"), ("processor\t: 0\n", nil),
    ]) func `a processor has the first name that is given`(text: String, name: String?) {
        #expect(Machine.processor(in: text) == name)
    }
}
