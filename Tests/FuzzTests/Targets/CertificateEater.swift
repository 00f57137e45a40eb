// What a provider's certificate says: Apple's extensions in DER, by themselves and within a whole certificate.

@testable import APNs
import Basics
import Pushes
import TLS

/// First byte: what the rest is: the list of topics, the list of VoIP topics, or a whole certificate.
final class CertificateEater: FuzzEater {
    func eat(_ input: Span<UInt8>) throws(Violation) {
        var choices = FuzzInput(input)
        let kind = choices.byte() % 3
        let bytes = choices.remainder()
        switch kind {
        case 0:
            guard let topics = CertificateExtensions.readTopics(bytes) else { return }
            try hold(topics.count <= 128, "\(topics.count) topics")
            let again = CertificateExtensions.readTopics(CertificateExtensions.encode(topics))
            try hold(again == topics, "\(topics) are read again as \(String(describing: again))")
            try judge(uid: nil, [(CertificateExtensions.topics, bytes)])
        case 1:
            guard let topics = CertificateExtensions.readVoIPTopics(bytes) else { return }
            try hold(topics.allSatisfy { $0.kind == .voip && $0.name.hasSuffix(".voip") }, "\(topics) for VoIP")
            try judge(uid: "com.example.app", [(CertificateExtensions.voipTopics, bytes)])
        default:
            let pem = "-----BEGIN CERTIFICATE-----\n" + Base64.encode(bytes.span) + "\n-----END CERTIFICATE-----\n"
            guard let certificate = PeerCertificate(pem: pem) else { return }
            try hold(certificate.extensions.count <= 64, "\(certificate.extensions.count) extensions")
            try hold(certificate.fingerprint.utf8.count == 64, "the fingerprint \(certificate.fingerprint)")
            try judge(uid: certificate.userID, certificate.extensions.map { ($0.id, $0.content) })
        }
    }

    private func judge(uid: String?, _ extensions: [(id: String, content: [UInt8])]) throws(Violation) {
        let now = WallTime(seconds: 1_760_000_000)
        let certificate = ClientCertificate(
            subjectUID: uid, extensions: extensions + [(CertificateExtensions.sandbox, CertificateExtensions.mark)],
            notBefore: now, notAfter: now, isTrusted: true)
        let refusal = certificate.refusal(in: .sandbox, now: now)
        try hold(refusal == nil || refusal == .badCertificate, "a sandbox certificate is refused as \(refusal!.word)")
        for topic in certificate.topics {
            let name = Array(topic.name.utf8)
            try hold(certificate.allows(name.span, .alert), "a certificate does not allow its topic \(topic.name)")
        }
    }
}
