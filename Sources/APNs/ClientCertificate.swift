// A provider's client certificate as APNs judges it (docs/apns.md §9): whose topics, which environments, still good.

package import Basics
package import Pushes

/// Made once per connection; what it allows never changes.
package final class ClientCertificate: Sendable {
    /// With their suffixes.
    package let topics: [CertificateTopic]
    /// The default topic, and the only one of an MDM certificate.
    package let subjectUID: String?
    package let environments: Set<PushEnvironment>
    package let notBefore: WallTime
    package let notAfter: WallTime
    /// Issued by an authority we trust, and not revoked.
    package let isTrusted: Bool
    private let isWellFormed: Bool
    private let names: [[UInt8]]

    /// `extensions` are pairs of a dotted object identifier and the extension's content.
    package init(
        subjectUID: String?, extensions: [(id: String, content: [UInt8])], notBefore: WallTime, notAfter: WallTime,
        isTrusted: Bool
    ) {
        func content(_ id: String) -> [UInt8]? { extensions.first { $0.id == id }?.content }
        var topics: [CertificateTopic]?
        var isWellFormed = true
        if let list = content(CertificateExtensions.topics) {
            topics = CertificateExtensions.readTopics(list)
            isWellFormed = topics != nil
        } else {
            topics = subjectUID.map { [CertificateTopic($0, .app)] }
        }
        if let list = content(CertificateExtensions.voipTopics) {
            let more = CertificateExtensions.readVoIPTopics(list)
            isWellFormed = isWellFormed && more != nil
            topics = (topics ?? []) + (more ?? []).filter { topics?.contains($0) != true }
        }
        var environments: Set<PushEnvironment> = []
        if content(CertificateExtensions.sandbox) != nil { environments.insert(.sandbox) }
        if content(CertificateExtensions.production) != nil { environments.insert(.production) }
        self.topics = topics ?? []
        self.subjectUID = subjectUID
        self.environments = environments
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.isTrusted = isTrusted
        self.isWellFormed = isWellFormed
        names = self.topics.map { Array($0.name.utf8) }
    }

    /// What the connection is refused with; nil: the certificate is good here and now.
    package func refusal(in environment: PushEnvironment, now: WallTime) -> Reason? {
        guard isTrusted, isWellFormed, !topics.isEmpty, !environments.isEmpty, notBefore <= now, now <= notAfter else {
            return .badCertificate
        }
        return environments.contains(environment) ? nil : .badCertificateEnvironment
    }

    /// The topic of a push that names none; nil: it must name one (§3).
    var impliedTopic: [UInt8]? { names.count == 1 ? names[0] : nil }

    /// A topic must be listed, and a VoIP or WatchKit one as such; `mdm` goes to the subject's UID alone (§4).
    func allows(_ topic: Span<UInt8>, _ type: PushType?) -> Bool {
        for index in names.indices where topic.matches(names[index]) {
            switch type {
            case .voip: return topics[index].kind == .voip
            case .complication: return topics[index].kind == .complication
            case .mdm: return isMDM && topics[index].name == subjectUID
            default: return true
            }
        }
        return false
    }

    private var isMDM: Bool { subjectUID?.hasPrefix("com.apple.mgmt.") == true }
}
