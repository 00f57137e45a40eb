// A client certificate to be made, as Apple's portal would, or wrong on purpose (docs/apns.md §9).

import APNs
import Basics
package import Pushes
import TLS

package struct CertificateRequest: Hashable, Sendable {
    /// What is wrong with it.
    package enum Defect: String, Hashable, Sendable, CaseIterable {
        /// Its last day has passed.
        case expired
        /// Signed by an authority that nobody knows.
        case unknownIssuer = "unknown-issuer"
        /// None of Apple's extensions and no UID: not a provider's.
        case notAProvider = "not-a-provider"
        /// The list of topics is not the DER it should be.
        case malformedTopics = "malformed-topics"
    }

    /// With suffixes, such as `com.example.app` and `com.example.app.voip`; the first one's bundle ID is the subject's UID.
    /// A topic that begins with `com.apple.mgmt.` makes an MDM certificate, which has that topic alone.
    package var topics: [String]
    package var environments: Set<PushEnvironment> = [.production, .sandbox]
    package var defect: Defect?
    /// Nil: made of the first topic, the environment and the defect.
    package var name: String?

    package init(topics: [String]) { self.topics = topics }

    /// Sealed into the .p12 files with this: some tools take no empty password.
    package static let password = "pushrig"

    var isMDM: Bool { topics.first?.hasPrefix("com.apple.mgmt.") == true }

    var fileName: String {
        if let name { return name }
        let place = environments.count == 1 ? environments.first!.word.description : "both"
        return ([topics[0], place] + (defect.map { [$0.rawValue] } ?? [])).joined(separator: "-")
    }

    func check() throws(Failure) {
        if let wrong = topics.first(where: { !Self.isTopic($0) }) {
            throw Failure(.usage, "'\(wrong)' is not a topic", hint: "give one such as com.example.app.voip")
        }
        guard 1...100 ~= topics.count else {
            throw Failure(
                .usage, "a certificate needs 1 to 100 topics", hint: "such as com.example.app and com.example.app.voip")
        }
        guard !isMDM || topics.count == 1 else {
            throw Failure(.usage, "an MDM certificate has one topic", hint: "make another for the other topics")
        }
        guard !environments.isEmpty else {
            throw Failure(.usage, "a certificate is for production, sandbox or both", hint: "name one of them")
        }
        let isName = fileName.utf8.allSatisfy {
            48...57 ~= $0 || 65...90 ~= $0 || 97...122 ~= $0 || $0 == 45 || $0 == 46 || $0 == 95
        }
        guard isName, 1...200 ~= fileName.utf8.count else {
            throw Failure(.usage, "'\(fileName)' is no name", hint: "use letters, digits, '-', '_' and '.'")
        }
    }

    private static func isTopic(_ text: String) -> Bool {
        1...255 ~= text.utf8.count && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }

    func issue(by authority: CertificateAuthority) -> ClientIdentity {
        let authority = defect == .unknownIssuer ? CertificateAuthority(commonName: "Nobody") : authority
        let bundle = withBytes(of: topics[0]) { $0.extracting(0..<TopicParts($0).bundleCount).text }
        let place = environments.count == 2 ? "" : environments.contains(.sandbox) ? "Development " : "Production "
        return authority.issueClient(
            commonName: String("Apple Push Services \(place)\(bundle)".prefix(64)),
            userID: defect == .notAProvider ? nil : String(bundle.prefix(64)), extensions: extensions,
            from: defect == .expired ? -90 * 86_400 : -86_400, until: defect == .expired ? -86_400 : 365 * 86_400,
            password: Self.password)
    }

    private var extensions: [PeerCertificate.Extension] {
        if defect == .notAProvider { return [] }
        var extensions: [PeerCertificate.Extension] = []
        for (environment, id) in [
            (.sandbox, CertificateExtensions.sandbox), (.production, CertificateExtensions.production),
        ] as [(PushEnvironment, String)] where environments.contains(environment) {
            extensions.append(.init(id: id, content: CertificateExtensions.mark))
        }
        if isMDM { return extensions }
        var content = CertificateExtensions.encode(topics.map { CertificateTopic($0) })
        if defect == .malformedTopics { content.removeLast() }
        extensions.append(.init(id: CertificateExtensions.topics, content: content))
        return extensions
    }
}
