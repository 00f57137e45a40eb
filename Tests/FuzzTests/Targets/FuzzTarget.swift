// What can be fuzzed: each target is a function of bytes that throws when something does not hold which always must.
// The same functions run under libFuzzer (script/fuzz) and, over the kept inputs, in the ordinary tests.

import Basics
import Glibc
import OperatingSystem

/// A broken promise that an input brought to light. Crashes, leaks and hangs are the fuzzer's own to see.
struct Violation: Error, CustomStringConvertible {
    let description: String
}

func hold(_ condition: Bool, _ promise: @autoclosure () -> String) throws(Violation) {
    if !condition { throw Violation(description: promise()) }
}

/// Eats inputs, one after the other. What it keeps between them must not change what it finds.
protocol FuzzEater: AnyObject {
    func eat(_ input: Span<UInt8>) throws(Violation)
}

struct FuzzTarget: Sendable {
    let name: String
    /// Longer inputs are not tried.
    let maxBytes: Int
    /// Files of Tests/FuzzCorpus/dictionaries, without their ending.
    let dictionaries: [String]
    /// Numbers at which the reader changes its mind, besides those of any reader: NumberStep tries what lies about them.
    var bounds: [Int64] = []
    /// `folder` is empty, and the eater's own.
    let make: @Sendable (_ folder: String) throws -> any FuzzEater

    static let all: [FuzzTarget] = [
        FuzzTarget(name: "http1-request", maxBytes: 4096, dictionaries: ["http"]) { _ in HTTP1RequestEater() },
        FuzzTarget(name: "http1-response", maxBytes: 4096, dictionaries: ["http"]) { _ in HTTP1ResponseEater() },
        FuzzTarget(name: "push", maxBytes: 4096, dictionaries: ["apns", "json"]) { _ in PushEater() },
        FuzzTarget(name: "provider-token", maxBytes: 4096, dictionaries: ["apns", "json"]) { _ in
            ProviderTokenEater()
        },
        FuzzTarget(name: "message", maxBytes: 8192, dictionaries: ["fcm", "json"], bounds: MessageEater.bounds) { _ in
            MessageEater()
        },
        FuzzTarget(name: "assertion", maxBytes: 4096, dictionaries: ["fcm", "json"], bounds: AssertionEater.bounds) { _ in
            AssertionEater()
        },
        FuzzTarget(name: "condition", maxBytes: 1024, dictionaries: ["fcm"]) { _ in ConditionEater() },
        FuzzTarget(name: "topic-request", maxBytes: 4096, dictionaries: ["fcm", "json", "http"]) { _ in
            TopicRequestEater()
        },
        FuzzTarget(name: "messaging-door", maxBytes: 8192, dictionaries: ["fcm", "json", "http"], bounds: MessageEater.bounds) {
            folder in MessagingDoorEater(folder: folder)
        },
        FuzzTarget(name: "certificate", maxBytes: 4096, dictionaries: ["apns"]) { _ in CertificateEater() },
        FuzzTarget(name: "json", maxBytes: 8192, dictionaries: ["json"]) { _ in JSONEater() },
        FuzzTarget(name: "yaml", maxBytes: 8192, dictionaries: ["yaml"]) { _ in YAMLEater() },
        FuzzTarget(name: "scenario", maxBytes: 16_384, dictionaries: ["yaml", "scenario"]) { _ in try ScenarioEater() },
        FuzzTarget(name: "schema", maxBytes: 8192, dictionaries: ["json", "schema"]) { _ in SchemaEater() },
        FuzzTarget(name: "text", maxBytes: 1024, dictionaries: ["text"]) { _ in TextEater() },
        FuzzTarget(name: "fault-rule", maxBytes: 2048, dictionaries: ["json", "apns", "fault"]) { _ in
            FaultRuleEater()
        },
        FuzzTarget(name: "journal", maxBytes: 8192, dictionaries: []) { folder in JournalEater(folder: folder) },
        FuzzTarget(name: "connection", maxBytes: 8192, dictionaries: ["apns", "json"]) { folder in
            ConnectionEater(folder: folder)
        },
        FuzzTarget(name: "admin", maxBytes: 8192, dictionaries: ["http", "json", "fault", "apns"]) { folder in
            AdminEater(folder: folder)
        },
    ]
}

/// Reads an input as a series of small choices. Past its end everything is 0 or empty, so that any bytes are an input.
struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    init(_ input: Span<UInt8>) { rest = input.array[...] }

    var isEmpty: Bool { rest.isEmpty }
    var count: Int { rest.count }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func word() -> UInt16 { UInt16(byte()) << 8 | UInt16(byte()) }

    mutating func long() -> UInt32 { UInt32(word()) << 16 | UInt32(word()) }

    mutating func choice<T>(_ values: [T]) -> T { values[Int(byte()) % values.count] }

    mutating func bytes(_ count: Int) -> [UInt8] {
        let taken = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        return taken
    }

    /// As many bytes as the next one says.
    mutating func short() -> [UInt8] { bytes(Int(byte())) }

    mutating func remainder() -> [UInt8] { bytes(rest.count) }
}

/// Lends the bytes in memory of exactly their size, so that a step beyond them is seen.
func withExactBytes<R, E>(_ bytes: some Collection<UInt8>, _ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    let room = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    defer { room.deallocate() }
    _ = room.initialize(from: bytes)
    return try body(UnsafeBufferPointer(room).span)
}

/// A folder of its own, taken away when done.
final class FuzzFolder {
    let path: String

    init() throws {
        path = try FileSystem.makeTemporaryFolder()
    }

    deinit { FileSystem.removeAll(path) }

    static func names(in path: String) -> [String] { ((try? FileSystem.names(in: path)) ?? []).sorted() }
}
