// `pushrig keys`: what it makes, and what it says to mistakes.

import Basics
import Foundation
import Testing

@testable import Harness

@Suite struct KeysCommandTests {
    private func run(_ subject: String, _ state: String, _ turn: (inout KeysCommand) -> Void = { _ in }) throws {
        var command = KeysCommand()
        command.subject = subject
        command.stateDirectory = state
        turn(&command)
        #expect(try command.run() == .passed)
    }

    private func credentials(_ state: String) throws -> JSONValue {
        try JSONValue(parsing: String(contentsOfFile: state + "/credentials.json", encoding: .utf8))
    }

    @Test func `a service account is a file of its own, is listed, and is taken back by its address`() throws {
        try Place.withFolder { folder in
            let state = folder + "/state"
            try run("service-account", state) {
                $0.project = "shop-two"
                $0.tokenURL = "https://mock:9/token"
            }
            let file = state + "/service-accounts/sender@shop-two.json"
            let made = try JSONValue(parsing: String(contentsOfFile: file, encoding: .utf8))
            #expect(made["client_email"]?.string == "sender@shop-two.iam.gserviceaccount.com")
            #expect(made["token_uri"]?.string == "https://mock:9/token")
            try run("list", state)
            try run("revoke", state) { $0.name = "sender@shop-two.iam.gserviceaccount.com" }
            #expect(!FileManager.default.fileExists(atPath: file))
            #expect(throws: Failure.self) { try run("service-account", state) { $0.project = "Shop" } }
        }
    }

    @Test func `samples makes one of each kind, and revoke takes one back`() throws {
        try Place.withFolder { folder in
            let state = folder + "/state"
            try run("samples", state)
            let made = try credentials(state)
            let keys = made["keys"]?.array ?? []
            let kinds = keys.map { $0["kind"]?.string ?? "" }
            #expect(kinds == ["team", "environment", "topic", "topic", "environment", "topic", "topic"])
            #expect(keys.filter { $0["relatedKeyId"]?.string != nil }.count == 2)
            let certificates = made["certificates"]?.array ?? []
            #expect(certificates.count == 8 && certificates.filter { $0["defect"]?.string != nil }.count == 4)
            for entry in keys + certificates {
                for name in ["file", "keyFile", "pkcs12File"].compactMap({ entry[$0]?.string }) {
                    let about = try FileManager.default.attributesOfItem(atPath: state + "/" + name)
                    #expect(about[.posixPermissions] as? Int == 0o600, "\(name)")
                }
            }
            let first = try #require(keys.first?["keyId"]?.string)
            try run("revoke", state) { $0.name = first }
            #expect(try credentials(state)["keys"]?.array?.count == 6)
            try run("list", state)
        }
    }

    @Test(arguments: ["list", "revoke", "teem"]) func `who only looks, or errs, makes no state directory`(
        subject: String
    ) throws {
        try Place.withFolder { folder in
            let state = folder + "/stat"
            let failure = #expect(throws: Failure.self) { try run(subject, state) { $0.name = "ABC1234567" } }
            #expect(failure?.kind == .usage && failure?.hint != nil)
            #expect(!FileManager.default.fileExists(atPath: state))
        }
    }

    @Test func `mistakes are told with a way out`() throws {
        try Place.withFolder { folder in
            let mistakes: [(String, (inout KeysCommand) -> Void, String)] = [
                ("teem", { _ in }, "team"), ("environment", { _ in }, "--environment production"),
                ("topic", { $0.environment = "sandbox" }, "--topic com.example.app"),
                ("revoke", { _ in }, "pushrig keys revoke"), ("revoke", { $0.name = "x" }, "pushrig keys list"),
                (
                    "certificate",
                    {
                        $0.topics = ["com.example.app"]
                        $0.defect = "expird"
                    }, "expired"
                ),
                ("certificate", { $0.topics = [] }, "--topic"), ("team", { $0.keyID = "short" }, "ten capital letters"),
            ]
            for (subject, turn, hint) in mistakes {
                let failure = #expect(throws: Failure.self, "\(subject)") { try run(subject, folder + "/state", turn) }
                #expect(failure?.hint?.contains(hint) == true, "\(failure.map(String.init(describing:)) ?? "")")
            }
        }
    }
}
