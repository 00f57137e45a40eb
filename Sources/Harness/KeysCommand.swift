// `pushrig keys`: test credentials of every kind that APNs knows, and service accounts of FCM, in a mock's state directory.

import APNs
package import Basics
import MockServer
import Pushes

package struct KeysCommand: Sendable {
    /// What may stand after the verb.
    package static let subjects = [
        "team", "environment", "topic", "certificate", "service-account", "samples", "list", "revoke",
    ]

    package var subject = "list"
    package var stateDirectory = "pushrig-state"
    /// Production, sandbox or both.
    package var environment: String?
    package var topics: [String] = []
    package var teamID: String?
    package var keyID: String?
    package var relatedKeyID: String?
    package var name: String?
    package var defect: String?
    /// Of a service account.
    package var project: String?
    package var tokenURL: String?
    package var seed: UInt64 = 1

    package init() {}

    /// Prints one line of JSON for each credential.
    package func run() throws(Failure) -> ExitCode {
        guard Self.subjects.contains(subject) else {
            throw Failure(
                .usage, "there are no keys of kind '\(subject)'", hint: Suggestion.hint(for: subject, among: Self.subjects))
        }
        let isMade = subject != "list" && subject != "revoke"
        let store =
            isMade
            ? try CredentialStore(directory: stateDirectory, seed: Seed(seed)) : try CredentialStore(existing: stateDirectory)
        let accounts = try ServiceAccountStore(state: stateDirectory)
        switch subject {
        case "team": try show(store.makeKey(.team, teamID: teamID, keyID: keyID), store)
        case "environment": try show(store.makeKey(.environment(place()), teamID: teamID, keyID: keyID), store)
        case "topic":
            let scope = KeyScope.topics(try neededTopics(), try place(), related: relatedKeyID)
            try show(store.makeKey(scope, teamID: teamID, keyID: keyID), store)
        case "certificate": show(try store.makeCertificate(try request()), store)
        case "service-account":
            let url = tokenURL ?? (try? RunningMock.coordinates(in: stateDirectory))?.tokenURL
            show(try accounts.make(project: project ?? "pushrig-mock", name: name ?? "sender", tokenURL: url))
        case "samples": try makeSamples(store)
        case "list":
            let list = try store.list()
            let first = try store.identity()
            show(CredentialList.Key(record: first, file: "AuthKey_\(first.keyID).p8"), store)
            for key in list.keys { show(key, store) }
            for certificate in list.certificates { show(certificate, store) }
            for account in try accounts.list() { show(account) }
        case "revoke":
            guard let name else {
                throw Failure(
                    .usage, "revoke what?",
                    hint: "write `pushrig keys revoke KEYID`, a certificate's name or an account's address")
            }
            if try accounts.revoke(name) { return .passed }
            guard try store.revoke(name) else {
                throw Failure(
                    .usage, "there is no key, certificate or account '\(name)'",
                    hint: "`pushrig keys list` tells those there are")
            }
        default: preconditionFailure("'\(subject)' stands among the subjects, and nothing does it")
        }
        return .passed
    }

    /// One of each: keys of the three kinds, a pair of related ones, and certificates good and bad.
    private func makeSamples(_ store: CredentialStore) throws(Failure) {
        let topic = topics.first ?? "com.example.app"
        try show(store.makeKey(.team, teamID: teamID), store)
        for place in PushEnvironment.allCases {
            try show(store.makeKey(.environment(place), teamID: teamID), store)
            let first = try store.makeKey(.topics([topic], place, related: nil), teamID: teamID)
            show(first, store)
            let related = first.record.keyID
            try show(store.makeKey(.topics([topic + ".other"], place, related: related), teamID: teamID), store)
        }
        var request = CertificateRequest(topics: [topic, topic + ".voip", topic + ".complication"])
        show(try store.makeCertificate(request), store)
        for place in PushEnvironment.allCases {
            var single = CertificateRequest(topics: [topic])
            single.environments = [place]
            show(try store.makeCertificate(single), store)
        }
        show(try store.makeCertificate(CertificateRequest(topics: ["com.apple.mgmt.External." + topic])), store)
        for defect in CertificateRequest.Defect.allCases {
            request.defect = defect
            show(try store.makeCertificate(request), store)
        }
    }

    private func place() throws(Failure) -> PushEnvironment {
        if let place = environment.flatMap({ PushEnvironment(word: $0) }) { return place }
        throw Failure(
            .usage, "such a key is for one environment", hint: "give --environment production or --environment sandbox")
    }

    private func neededTopics() throws(Failure) -> [String] {
        guard !topics.isEmpty else {
            throw Failure(.usage, "a topic is missing", hint: "give --topic com.example.app, as often as needed")
        }
        return topics
    }

    private func request() throws(Failure) -> CertificateRequest {
        var request = CertificateRequest(topics: try neededTopics())
        if environment != nil, environment != "both" { request.environments = [try place()] }
        request.name = name
        if let defect {
            guard let known = CertificateRequest.Defect(rawValue: defect) else {
                throw Failure(
                    .usage, "there is no defect '\(defect)'",
                    hint: Suggestion.hint(for: defect, among: CertificateRequest.Defect.allCases.map(\.rawValue)))
            }
            request.defect = known
        }
        return request
    }

    private func show(_ key: CredentialList.Key, _ store: CredentialStore) {
        show(key.json, ["file"], store)
    }

    private func show(_ certificate: CredentialList.Certificate, _ store: CredentialStore) {
        var object: JSONObject = ["kind": "certificate"]
        for (key, value) in certificate.json.object ?? JSONObject() { object[key] = value }
        object["password"] = .string(CertificateRequest.password)
        show(.object(object), ["file", "keyFile", "pkcs12File"], store)
    }

    private func show(_ account: ServiceAccountStore.Account) {
        Console.out(
            JSONValue.object([
                "kind": "service-account", "email": .string(account.email), "project": .string(account.project),
                "keyId": .string(account.keyID), "file": .string(account.file),
            ]).text + "\n")
    }

    private func show(_ json: JSONValue, _ paths: [String], _ store: CredentialStore) {
        var object = json.object ?? JSONObject()
        for name in paths { object[name] = object[name]?.string.map { .string(store.path(of: $0)) } }
        Console.out(JSONValue.object(object).text + "\n")
    }
}
