// Client certificates as the rules see them (docs/apns.md §4, §9): what Apple's extensions say, and what follows.

@testable import APNs
import Basics
import Pushes
import Testing

/// A certificate as a mock would hand it in, with a knob or two.
struct Paper {
    var topics: [CertificateTopic]? = [CertificateTopic("com.example.app")]
    var uid: String? = "com.example.app"
    var marks = [CertificateExtensions.sandbox, CertificateExtensions.production]
    var voip: [UInt8]?
    var notBefore: Int64 = 1_700_000_000
    var notAfter: Int64 = 1_800_000_000
    var isTrusted = true

    var certificate: ClientCertificate {
        var extensions = marks.map { (id: $0, content: CertificateExtensions.mark) }
        if let topics { extensions.append((CertificateExtensions.topics, CertificateExtensions.encode(topics))) }
        if let voip { extensions.append((CertificateExtensions.voipTopics, voip)) }
        return ClientCertificate(
            subjectUID: uid, extensions: extensions, notBefore: WallTime(seconds: notBefore),
            notAfter: WallTime(seconds: notAfter), isTrusted: isTrusted)
    }

    static func with(_ turn: (inout Paper) -> Void) -> ClientCertificate {
        var paper = Paper()
        turn(&paper)
        return paper.certificate
    }
}

@Suite struct CertificateTests {
    private let rig = ValidatorRig()
    private let now = WallTime(seconds: 1_760_000_000)

    private func reason(
        _ certificate: ClientCertificate, topic: String?, type: String? = nil, authorization: String? = nil
    ) -> Reason? {
        rig.connection = ProviderConnection(certificate: certificate)
        return rig.reason {
            $0["authorization"] = authorization
            $0["apns-topic"] = topic
            $0["apns-push-type"] = type
        }
    }

    // MARK: Extensions

    @Test("the list of topics is one SEQUENCE of a UTF8String and a SEQUENCE with a kind for each (§9, observed)")
    func encoding() {
        // 30 length, then 0C topic, 30 (0C kind), twice.
        let hex = "301e" + "0c03612e62" + "3005" + "0c03617070" + "0c08612e622e766f6970" + "3006" + "0c04766f6970"
        let bytes = Hex.decode(hex) ?? []
        let topics = [CertificateTopic("a.b", .app), CertificateTopic("a.b.voip", .voip)]
        #expect(CertificateExtensions.encode(topics) == bytes)
        #expect(CertificateExtensions.readTopics(bytes) == topics)
    }

    @Test("long lists are read back, with lengths of two and three bytes")
    func longLists() {
        for count in [1, 5, 12, 100, 128] {
            let topics = (0..<count).map { CertificateTopic("com.example.app\($0).complication") }
            #expect(CertificateExtensions.readTopics(CertificateExtensions.encode(topics)) == topics)
        }
        let tooMany = (0..<129).map { CertificateTopic("com.example.app\($0)") }
        #expect(CertificateExtensions.readTopics(CertificateExtensions.encode(tooMany)) == nil)
    }

    @Test("a list that is cut or has one byte changed is read without harm, and never beyond its end")
    func damaged() {
        let whole = CertificateExtensions.encode([CertificateTopic("com.example.app"), CertificateTopic("x.voip")])
        for count in 0..<whole.count { #expect(CertificateExtensions.readTopics(Array(whole[..<count])) == nil) }
        for index in whole.indices {
            for value in [0x00, 0x1F, 0x30, 0x7F, 0x80, 0x84, 0xFF] as [UInt8] {
                var bytes = whole
                bytes[index] = value
                _ = CertificateExtensions.readTopics(bytes)
                _ = CertificateExtensions.readVoIPTopics(bytes)
            }
        }
        var generator = Seed(9).generator()
        for _ in 0..<2_000 {
            let bytes = (0..<Int(generator.next() % 40)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            _ = CertificateExtensions.readTopics([0x30, UInt8(bytes.count)] + bytes)
            _ = CertificateExtensions.readVoIPTopics(bytes)
        }
    }

    @Test("VoIP topics of …6.3.4 are read bare or in a SEQUENCE (§9; the encoding is unsure)")
    func voipTopics() {
        let bare = der(0x0C, Array("com.example.app".utf8))
        for content in [bare, der(0x30, bare)] {
            let certificate = Paper.with {
                $0.topics = nil
                $0.voip = content
            }
            let names = ["com.example.app", "com.example.app.voip"]
            #expect(certificate.topics == names.map { CertificateTopic($0) })
            #expect(reason(certificate, topic: "com.example.app.voip", type: "voip") == nil)
        }
    }

    // MARK: Good or bad

    @Test("…6.3.1 is for sandbox, …6.3.2 for production, both for both (§9, observed)")
    func environments() {
        let cases: [([String], Reason?, Reason?)] = [
            ([CertificateExtensions.sandbox], nil, .badCertificateEnvironment),
            ([CertificateExtensions.production], .badCertificateEnvironment, nil),
            ([CertificateExtensions.sandbox, CertificateExtensions.production], nil, nil),
            ([], .badCertificate, .badCertificate),
        ]
        for (marks, sandbox, production) in cases {
            let certificate = Paper.with { $0.marks = marks }
            #expect(certificate.refusal(in: .sandbox, now: now) == sandbox)
            #expect(certificate.refusal(in: .production, now: now) == production)
        }
    }

    @Test("a certificate out of its dates, of an unknown issuer or without topics is BadCertificate")
    func bad() {
        #expect(Paper().certificate.refusal(in: .sandbox, now: now) == nil)
        let bad: [(inout Paper) -> Void] = [
            { $0.notAfter = 1_759_999_999 }, { $0.notBefore = 1_760_000_001 }, { $0.isTrusted = false },
            {
                $0.topics = nil
                $0.uid = nil
            }, { $0.topics = [] }, { $0.voip = [0x30, 0x05] },
        ]
        for turn in bad { #expect(Paper.with(turn).refusal(in: .sandbox, now: now) == .badCertificate) }
        // The last second counts.
        #expect(Paper.with { $0.notAfter = 1_760_000_000 }.refusal(in: .sandbox, now: now) == nil)
    }

    // MARK: Pushes

    @Test("with a certificate the provider token is not looked at (§3)", arguments: [nil, "bearer a.b.c", "x"])
    func ignoresToken(authorization: String?) {
        #expect(reason(Paper().certificate, topic: "com.example.app", authorization: authorization) == nil)
        for _ in 0..<5 {
            #expect(rig.reason { $0["authorization"] = "bearer \($0.fields.count)" } == nil)
        }
    }

    @Test("a certificate with a single topic implies it, one with several does not (§3)")
    func impliedTopic() {
        #expect(reason(Paper().certificate, topic: nil) == nil)
        let several = Paper.with { $0.topics?.append(CertificateTopic("com.example.app.voip")) }
        #expect(reason(several, topic: nil) == .missingTopic)
        #expect(reason(several, topic: "com.example.app") == nil)
        // Without the list the subject's UID is the topic.
        let old = Paper.with { $0.topics = nil }
        #expect(reason(old, topic: nil) == nil)
        #expect(reason(old, topic: "com.example.app") == nil)
        rig.connection = ProviderConnection(certificate: old)
        let facts = rig.facts { $0["apns-topic"] = nil }
        #expect(facts.topicField != nil)
    }

    @Test("only listed topics are for a certificate, Live Activities and locations too (§4, §9)")
    func listed() {
        let app = Paper().certificate
        #expect(reason(app, topic: "com.example.other") == .topicDisallowed)
        for (suffix, type) in [
            (".push-type.liveactivity", "liveactivity"), (".location-query", "location"), (".voip", "voip"),
            (".complication", "complication"), (".pushkit.fileprovider", "fileprovider"), (".voip-ptt", "pushtotalk"),
        ] {
            let topic = "com.example.app" + suffix
            #expect(reason(app, topic: topic, type: type) == .topicDisallowed, "\(type)")
            let listing = Paper.with { $0.topics?.append(CertificateTopic(topic)) }
            #expect(reason(listing, topic: topic, type: type) == nil, "\(type)")
        }
    }

    @Test("a VoIP or WatchKit topic must be listed as such (§4)")
    func kinds() {
        for (suffix, type) in [(".voip", "voip"), (".complication", "complication")] {
            let topic = "com.example.app" + suffix
            let wrong = Paper.with { $0.topics = [CertificateTopic(topic, .app)] }
            #expect(reason(wrong, topic: topic, type: type) == .topicDisallowed)
            #expect(reason(wrong, topic: topic) == .topicDisallowed)
        }
    }

    @Test("an MDM push goes to the UID of an MDM certificate (§4)")
    func mdm() {
        let topic = "com.apple.mgmt.External.1234"
        let certificate = Paper.with {
            $0.uid = topic
            $0.topics = nil
        }
        #expect(reason(certificate, topic: topic, type: "mdm") == nil)
        #expect(reason(certificate, topic: nil, type: "mdm") == nil)
        #expect(reason(certificate, topic: topic + "5", type: "mdm") == .topicDisallowed)
        #expect(reason(Paper().certificate, topic: "com.example.app", type: "mdm") == .topicDisallowed)
    }
}
