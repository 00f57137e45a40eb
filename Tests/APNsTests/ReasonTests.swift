// Reasons and push types as rows (docs/apns.md §4, §6).

import APNs
import Basics
import Pushes
import Testing

@Suite struct ReasonTests {
    @Test("each reason is its own row and is found by its word (§6)")
    func rows() {
        for (index, row) in Reason.rows.enumerated() {
            #expect(Reason(word: row.word.description) == Reason.allCases[index])
            #expect("\(Reason.allCases[index])".lowercased() == "\(row.word)".lowercased())
            #expect(row.explanation.hasSuffix("."))
        }
        #expect(Reason.rows.count == Reason.allCases.count)
        #expect(Reason(word: "badDeviceToken") == nil)
    }

    @Test(
        "statuses are those of §6",
        arguments: [
            (Reason.badCollapseId, 400), (.topicDisallowed, 400), (.idleTimeout, 400), (.badCertificate, 403),
            (.missingProviderToken, 403), (.unrelatedKeyIdInToken, 403), (.badPath, 404), (.methodNotAllowed, 405),
            (.unregistered, 410), (.expiredToken, 410), (.payloadTooLarge, 413), (.tooManyRequests, 429),
            (.tooManyProviderTokenUpdates, 429), (.internalServerError, 500), (.serviceUnavailable, 503),
            (.shutdown, 503),
        ] as [(Reason, UInt16)])
    func statuses(reason: Reason, status: UInt16) { #expect(reason.status == status) }

    @Test("the environment key's reason is spelled as on the wire, and read as Apple prints it too (§6)")
    func environmentKeySpelling() {
        #expect(Reason.badEnvironmentKeyInToken.word.description == "BadEnvironmentKeyInToken")
        #expect(Reason(word: "BadEnvironmentKeyIdInToken") == .badEnvironmentKeyInToken)
    }

    @Test("reasons of the broadcast API do not exist here (§6)", arguments: ["MissingPushType", "FeatureNotEnabled"])
    func broadcastApart(word: String) { #expect(Reason(word: word) == nil) }

    @Test("a refusal's body is compact JSON of 27 bytes for BadDeviceToken (§0)")
    func body() {
        let body = rejectionBody(.badDeviceToken, timestampMilliseconds: nil)
        #expect(String(decoding: body, as: UTF8.self) == #"{"reason":"BadDeviceToken"}"#)
        #expect(body.count == 27)
    }

    @Test("only a 410 carries a timestamp, in milliseconds (§6)")
    func timestamp() {
        let gone = rejectionBody(.unregistered, timestampMilliseconds: 1_454_948_015_990)
        #expect(String(decoding: gone, as: UTF8.self) == #"{"reason":"Unregistered","timestamp":1454948015990}"#)
        #expect(rejectionBody(.badTopic, timestampMilliseconds: 5) == Array(#"{"reason":"BadTopic"}"#.utf8))
    }

    @Test("push types have the suffixes and limits of §4")
    func pushTypes() {
        #expect(PushType.allCases.count == 11)
        // As text, from Apple's list; the code is asked nowhere else for what it has to be held to.
        let suffixes: KeyValuePairs<String, String> = [
            "alert": "", "background": "", "mdm": "", "voip": ".voip", "complication": ".complication",
            "fileprovider": ".pushkit.fileprovider", "location": ".location-query", "pushtotalk": ".voip-ptt",
            "liveactivity": ".push-type.liveactivity", "controls": ".push-type.controls", "widgets": ".push-type.widgets",
        ]
        for (word, suffix) in suffixes { #expect(PushType(word: word)?.topicSuffix.description == suffix, "\(word)") }
        #expect(PushType.allCases.filter { $0.maxPayloadBytes == 5120 } == [.voip])
        for type in PushType.allCases { #expect(PushType(word: type.word.description) == type) }
        #expect(PushType(word: "Alert") == nil)
    }

    @Test("a topic is split at the suffix of its push type, and at no other dot (§4)")
    func topics() {
        for type in PushType.allCases {
            let parts = parts("com.example.app" + type.topicSuffix.description)
            #expect(parts.bundleCount == 15)
            #expect(parts.suffixType == (type.topicSuffix.utf8CodeUnitCount > 0 ? type : nil))
        }
        #expect(parts("com.example.activity") == parts("com.example.calendar"))
        #expect(parts("").bundleCount == 0)
    }

    private func parts(_ topic: String) -> TopicParts { withBytes(of: topic) { TopicParts($0) } }
}
