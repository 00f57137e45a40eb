// Settings by name, and the page that argues their defaults.

import Basics
import Devices
import MockServer
import Testing

@Suite struct SettingsTests {
    @Test func `each setting takes its own default, and no nonsense`() throws {
        var options = MockOptions(stateDirectory: "x")
        for setting in MockOptions.settings {
            try options.set(setting.name, to: setting.standard)
            #expect(throws: Failure.self, "\(setting.name)") { try options.set(setting.name, to: "") }
            #expect(!setting.explanation.isEmpty && !setting.values.isEmpty)
        }
        #expect(Set(MockOptions.settings.map(\.name)).count == MockOptions.settings.count)
    }

    @Test func `a mistake names the setting that was meant, or the values there are`() {
        var options = MockOptions(stateDirectory: "x")
        let name = #expect(throws: Failure.self) { try options.set("unregisterdDelay", to: "5m") }
        #expect(name?.kind == .usage && name?.hint == "did you mean `unregisteredDelay`?")
        let value = #expect(throws: Failure.self) { try options.set("malformedPayload", to: "reject") }
        #expect(value?.message == "malformedPayload cannot be 'reject'")
        #expect(value?.hint == "give accept|payload-empty")
    }

    @Test func `each setting stands in a page about faithfulness with its default`() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let pages = try ["apns", "fcm"].map { try #require(readText("/\(root)/docs/\($0).md")) }
        for setting in MockOptions.settings {
            let row = "| `\(setting.name)` | `\(setting.standard)` |"
            #expect(pages.count { $0.contains(row) } == 1, "\(setting.name)")
        }
    }
}
