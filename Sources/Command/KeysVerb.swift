import Basics
import Harness

extension Verb {
    static let keys = Verb(
        name: "keys", operand: KeysCommand.subjects.joined(separator: "|"),
        summary: "Makes test credentials, good and bad: provider keys, certificates, service accounts of FCM",
        example: """
            pushrig keys environment --environment sandbox
                     pushrig keys topic --environment production --topic com.example.app --related ABC1234567
                     pushrig keys certificate --topic com.example.app --topic com.example.app.voip --environment sandbox
                     pushrig keys certificate --topic com.example.app --defect expired
                     pushrig keys service-account --project shop-two
                     pushrig keys revoke ABC1234567

            Credentials stand in the state directory: credentials.json and the files it names. A mock that is up takes them
            within half a second. `samples` makes one of each kind of APNs; `revoke` takes a key ID, a certificate's name or an
            account's address. A service account is a file in service-accounts, good for sends to its project; one of the same
            name and project gets a new key.
            """,
        options: [
            Option("--state", "DIR", "state directory; made if absent, but for list and revoke (default pushrig-state)"),
            Option("--environment", "production|sandbox|both", "where the credential is good (default of certificates: both)"),
            Option("--topic", "TOPIC", isRepeatable: true, "bundle ID; for certificates with its suffix, such as .voip"),
            Option("--team", "ID", "team of the key (default: the mock's first team)"),
            Option("--key-id", "ID", "ID of the key (default: a new one); a known ID gets a new private key"),
            Option("--related", "KEYID", "topic key that may share a connection with this one"),
            Option("--name", "NAME", "name of the certificate (default: of topic, environment and defect) or account (sender)"),
            Option("--defect", "NAME", "expired, unknown-issuer, not-a-provider or malformed-topics (certificates)"),
            Option("--project", "ID", "project of the service account (default pushrig-mock, the mock's)"),
            Option(
                "--token-uri", "URL",
                "token endpoint of the service account (default: a running mock's, else https://127.0.0.1:2198/token)"),
        ]
    ) { arguments, _ in
        var command = KeysCommand()
        let example = "pushrig keys team"
        guard let subject = arguments.operands.first else {
            throw Failure(
                .usage, "what is to be made?", hint: "\(example); there are " + KeysCommand.subjects.joined(separator: ", "))
        }
        command.subject = subject
        command.name = arguments.text("--name")
        if subject == "revoke" {
            guard arguments.operands.count == 2 else {
                throw Failure(
                    .usage, "revoke what?",
                    hint: "write `pushrig keys revoke KEYID`, a certificate's name or an account's address")
            }
            command.name = arguments.operands[1]
        } else if arguments.operands.count > 1 {
            throw Failure(.usage, "'\(arguments.operands[1])' is not expected here", hint: "options begin with --")
        }
        command.stateDirectory = arguments.text("--state") ?? command.stateDirectory
        command.environment = try arguments.one(of: ["production", "sandbox", "both"], "--environment")
        command.topics = arguments.all("--topic")
        command.teamID = arguments.text("--team")
        command.keyID = arguments.text("--key-id")
        command.relatedKeyID = arguments.text("--related")
        command.defect = arguments.text("--defect")
        command.project = arguments.text("--project")
        command.tokenURL = arguments.text("--token-uri")
        return try command.run()
    }
}
