// What `pushrig relay` makes of its options.

import Basics
import Net
import ReferenceRelay
import Testing

@testable import Harness

private typealias Turn = @Sendable (inout RelayCommand) -> Void

private let wrong: [(Turn, String)] = [
    ({ $0.apns = "" }, "--apns is missing"), ({ $0.topic = "" }, "--topic is missing"),
    ({ $0.keyFile = "" }, "--key is missing"), ({ $0.keyID = "" }, "--key-id is missing"),
    ({ $0.teamID = "" }, "--team-id is missing"), ({ $0.dialect = "epilog" }, "there is no dialect 'epilog'"),
    ({ $0.defects = ["never-start"] }, "there is no defect 'never-start'"),
    ({ ($0.dialect, $0.isAsBuilt) = ("epilogue", true) }, "no source of a relay as built is known for 'epilogue'"),
]

@Suite("pushrig relay")
struct RelayCommandTests {
    private func options(_ turn: (inout RelayCommand) -> Void = { _ in }) throws -> RelayOptions {
        var command = RelayCommand()
        (command.apns, command.keyFile, command.keyID, command.teamID) = ("https://127.0.0.1:1", "key.p8", "KEY", "TEAM")
        command.topic = "com.example.app"
        turn(&command)
        return try command.options()
    }

    @Test("each option sets what it says")
    func values() throws {
        let plain = try options()
        #expect(plain.sandbox == plain.production && plain.caFile == nil && plain.clock == nil && plain.clockOwner == nil)
        #expect(plain.defects.isEmpty && plain.plantEvery == nil && !plain.isShared && plain.allowHosts.isEmpty)
        let set = try options { command in
            command.dialect = "epilogue"
            command.apnsSandbox = "https://127.0.0.1:2"
            (command.listen, command.caFile, command.storage) = ("127.0.0.1:99", "ca.pem", ":memory:")
            (command.throttle, command.lifetime, command.timeout) = (.seconds(7), .seconds(9), .milliseconds(100))
            (command.connections, command.variant, command.answer, command.plantEvery) = (3, "B", "early", 12)
            (command.defects, command.allowHosts, command.isShared) = (["never-starts"], ["relay.test"], true)
        }
        #expect(set.dialect == .epilogue && set.sandbox.description == "https://127.0.0.1:2")
        #expect(set.listen.port == 99 && set.caFile == "ca.pem" && set.storage == ":memory:")
        #expect(set.throttle == .seconds(7) && set.activityLifetime == .seconds(9) && set.pushTimeout == .milliseconds(100))
        #expect(set.connections == 3 && set.variant == .widget && set.answers == .early && set.plantEvery == 12)
        #expect(set.defects == [.neverStarts] && set.allowHosts == ["relay.test"] && set.isShared)
    }

    @Test("as built it has the faults of its source, and those that are asked for")
    func asBuilt() throws {
        let set = try options { ($0.isAsBuilt, $0.defects) = (true, ["never-starts"]) }
        let traps = try #require(RelayDialect.opencode.asBuilt)
        #expect(set.defects == Set(traps.flatMap(\.defects)).union([.neverStarts]))
        #expect(try options { $0.defects = ["never-starts"] }.defects == [.neverStarts])
    }

    @Test("alerts are waited for no longer than two answers may take, and never longer than without the option")
    func patience() throws {
        let usual = try options().alertPatience
        #expect(try options { $0.timeout = .milliseconds(100) }.alertPatience == .milliseconds(200))
        #expect(try options { $0.timeout = .seconds(60) }.alertPatience == usual)
    }

    @Test("a clock is an address or a setting; one that stands is nobody's who shares")
    func clock() throws {
        let owned = try options { $0.clock = "http://127.0.0.1:5" }
        #expect(owned.clockOwner?.description == "http://127.0.0.1:5" && owned.clock == nil)
        #expect(try options { $0.clock = "scale=60,at=1,shows=2" }.clock != nil)
        #expect { try options { ($0.clock, $0.isShared) = ("http://127.0.0.1:5", true) } } throws: {
            ($0 as? Failure)?.message.contains("share their storage") == true
        }
    }

    @Test("what is missing or unknown is named", arguments: wrong)
    fileprivate func mistakes(turn: Turn, words: String) {
        #expect { try options(turn) } throws: { ($0 as? Failure)?.kind == .usage && ($0 as? Failure)?.message == words }
    }
}
