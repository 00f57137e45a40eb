// `pushrig exec`: a program as it is, whose hard-coded names of push services lead to a mock.

package import Basics
import EventLoop
import Glibc
import MockServer
import Net
import OperatingSystem
import Verdicts

package struct ExecCommand {
    package var command: [String]
    /// Of the mock that is started; keys and journal stand there.
    package var stateDirectory = "pushrig-state"
    /// State directory of a mock that is up; nil: one is started.
    package var mock: String?
    package var admin = "127.0.0.1:0"
    package var registersTokens = false
    package var topics: [String] = []
    package var settings: [(name: String, value: String)] = []
    package var seed: UInt64 = 1
    /// Needs no right to take small ports; for programs that call 2197.
    package var isWithout443 = false
    package var isQuiet = false

    package init(command: [String]) { self.command = command }

    /// Runs the program to its end and gives its exit code, 128 and the number of the signal that ended it. Throws when it
    /// could not be started, or when the mock could not keep on record what it has seen. No thread may run yet.
    package func run() throws(Failure) -> Int32 {
        let watch = ChildWatch()
        let broken = Handover<Failure>()
        let mock = try start { failure in
            broken.give(failure)
            Signals.raiseTermination()
        }
        defer { mock.stop() }
        let own = Self.environment
        let folder = try ExecFolder()
        try folder.addNames(ProviderName.hosts(mock.addresses))
        var trust = try folder.addAuthority(mock.coordinates.ca, own: own["SSL_CERT_FILE"])
        trust.serviceAccount = mock.coordinates.serviceAccount
        if !isQuiet { Console.error(Self.beginning(mock)) }
        let words = ExecWithin.words(parent: getpid(), layers: folder.layers, command: command)
        let child: pid_t
        do throws(FileError) {
            child = try ChildProcess.spawn(
                FileSystem.executable, ["pushrig", ExecWithin.word] + words, environment: trust.variables(beside: own))
        } catch {
            throw Failure(.run, "cannot start a process: \(error.words)", hint: "check `ulimit -u`")
        }
        var trouble: Failure?
        let lender = mock.service.map { MockLender($0, in: stateDirectory) }
        let code = watch.wait(for: child, lending: lender) { trouble = $0 }
        mock.stop()
        if let trouble { throw trouble }
        if let failure = mock.service?.failure { throw failure }
        if !isQuiet, let service = mock.service { Console.error(Self.ending(service)) }
        return code
    }

    private func start(_ onFailure: @escaping @Sendable (Failure) -> Void) throws(Failure) -> ExecMock {
        if let mock { return try ExecMock(runningOn: mock) }
        DescriptorLimit.raise()
        var options = MockOptions(stateDirectory: stateDirectory)
        options.admin = try SocketAddress(parsing: admin)
        options.registration = registersTokens ? .registered : .any
        options.topics = topics
        options.seed = Seed(seed)
        for (name, value) in settings { try options.set(name, to: value) }
        return try ExecMock(starting: options, omitting443: isWithout443, onFailure: onFailure)
    }

    private static var environment: [String: String] {
        var variables: [String: String] = [:]
        var cursor = environ
        while let entry = cursor.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            cursor += 1
        }
        return variables
    }

    private static func beginning(_ mock: ExecMock) -> String {
        let found = mock.coordinates
        let ports = ports([found.apns, found.apnsTwin].compactMap { $0.map { Int($0.port) } })
        func place(_ role: ProviderName.Role) -> String {
            mock.closed.contains(role) ? "nowhere, for this mock does not play them" : "to \(mock.addresses[role]!)"
        }
        return "pushrig: Apple's names lead \(place(.production)), sandbox's \(place(.sandbox)), \(ports); "
            + "Google's \(place(.google)); admin API at \(found.adminURL ?? "no address")\n"
    }

    static func ports(_ ports: [Int]) -> String {
        "port" + (ports.count == 1 ? " " : "s ") + ports.map(String.init).joined(separator: " and ")
    }

    private static func ending(_ mock: MockService) -> String {
        let count = mock.statistics().pushes
        return "pushrig: \(Numbers.count(count)) push\(count == 1 ? "" : "es"), on record in \(mock.journalDirectory)\n"
    }
}
