// Method, path, fields, topic, body and device token: one valid push, one knob (docs/apns.md §2.4 to §6).

import APNs
import Basics
import Pushes
import Synchronization
import Testing

@Suite struct RequestCheckTests {
    let rig = ValidatorRig()

    @Test("a valid push is accepted")
    func valid() {
        let verdict = rig.judge(rig.push())
        #expect(verdict.rejection == nil)
        #expect(verdict.check == nil)
        #expect(verdict.facts.pushType == .alert)
        #expect(verdict.facts.priority == 10)
        #expect(verdict.facts.token == 10..<74)
        #expect(verdict.facts.payload.hasAlert)
    }

    // MARK: §2.4

    @Test(
        "any method but POST is MethodNotAllowed, even without credentials (§2.4)",
        arguments: ["GET", "HEAD", "PUT", "post"])
    func method(method: String) {
        #expect(
            rig.reason {
                $0.method = method
                $0.path = "/"
                $0["authorization"] = nil
            } == .methodNotAllowed)
    }

    @Test(
        "another path is BadPath (§2.4)",
        arguments: [
            "/", "", "/3/device", "/4/device/\(Push.token)", "/3/Device/\(Push.token)", "/3/device/\(Push.token)/x",
        ])
    func path(path: String) { #expect(rig.reason { $0.path = path } == .badPath) }

    @Test("a path that ends before the token is MissingDeviceToken (§2.4)")
    func missingToken() { #expect(rig.reason { $0.path = "/3/device/" } == .missingDeviceToken) }

    @Test("unknown fields and content types are ignored (§2.4)")
    func unknownFields() {
        #expect(
            rig.reason {
                $0["content-type"] = "text/plain"
                $0["x-anything"] = "1"
                $0["apns-unknown"] = "1"
            } == nil)
    }

    @Test(
        "a field that APNs reads, given twice, is DuplicateHeaders (§2.4)",
        arguments: [
            "authorization", "apns-topic", "apns-push-type", "apns-id", "apns-expiration", "apns-priority",
            "apns-collapse-id",
        ])
    func duplicates(name: String) {
        var push = rig.push()
        let value = push[name] ?? (name == "apns-id" ? "8cb35b22-8f4f-4b7b-9f3a-0f0a4b6c2d1e" : "10")
        push.fields += [(name, value), (name, value)]
        #expect(rig.judge(push).rejection == .duplicateHeaders)
    }

    // MARK: §3

    @Test("an apns-id of 8-4-4-4-12 digits in either case is taken and told (§3)")
    func messageID() {
        for id in ["8cb35b22-8f4f-4b7b-9f3a-0f0a4b6c2d1e", "8CB35B22-8F4F-4B7B-9F3A-0F0A4B6C2D1E"] {
            var push = rig.push()
            push["apns-id"] = id
            let verdict = rig.judge(push)
            #expect(verdict.rejection == nil)
            #expect(verdict.facts.apnsIDGiven)
            #expect(verdict.facts.apnsID.text() == "8cb35b22-8f4f-4b7b-9f3a-0f0a4b6c2d1e")
            #expect(verdict.facts.apnsIDField == 7)
        }
    }

    @Test(
        "any other apns-id is BadMessageId, and the answer gets one of ours (§3)",
        arguments: ["", "8cb35b228f4f4b7b9f3a0f0a4b6c2d1e", "8cb35b22-8f4f-4b7b-9f3a-0f0a4b6c2d1g", "1"])
    func badMessageID(id: String) {
        let facts = rig.facts { $0["apns-id"] = id }
        #expect(rig.reason { $0["apns-id"] = id } == .badMessageId)
        #expect(!facts.apnsIDGiven)
        #expect(facts.apnsID != UUIDBytes(high: 0, low: 0))
    }

    @Test("any wrong byte in an apns-id is BadMessageId, and its digits are read as Basics reads them (§3)")
    func everyByte() {
        let good = "8cB35b22-8f4F-4b7b-9f3a-0f0a4b6c2d1e"
        #expect(rig.facts { $0["apns-id"] = good }.apnsID == withBytes(of: good) { UUIDBytes($0) })
        for place in 0..<36 {
            var bytes = Array(good.utf8)
            bytes[place] = bytes[place] == UInt8(ascii: "-") ? UInt8(ascii: "0") : UInt8(ascii: "-")
            #expect(rig.reason { $0["apns-id"] = String(decoding: bytes, as: UTF8.self) } == .badMessageId)
        }
    }

    @Test("two pushes without an apns-id get two of ours")
    func madeIDs() { #expect(rig.facts { _ in }.apnsID != rig.facts { _ in }.apnsID) }

    @Test("a refusal for another reason keeps the client's apns-id (§0: it is echoed)")
    func echoedOnRefusal() {
        let facts = rig.facts {
            $0.method = "GET"
            $0["apns-id"] = "8cb35b22-8f4f-4b7b-9f3a-0f0a4b6c2d1e"
        }
        #expect(facts.apnsIDGiven)
    }

    @Test(
        "whole seconds are an expiration: zero, past and future (§3)", arguments: [0, 1, -1, 1_760_003_600, Int64.max])
    func expiration(seconds: Int64) {
        var push = rig.push()
        push["apns-expiration"] = String(seconds)
        let verdict = rig.judge(push)
        #expect(verdict.rejection == nil)
        #expect(verdict.facts.expiration == seconds)
    }

    @Test(
        "anything but an integer is BadExpirationDate (§3, observed for decimals)",
        arguments: ["1760003600.5", "", "-", "tomorrow", "1e9", "+5", " 5", "99999999999999999999"])
    func badExpiration(text: String) { #expect(rig.reason { $0["apns-expiration"] = text } == .badExpirationDate) }

    @Test("priorities are 1, 5 and 10 (§3)", arguments: [1, 5, 10] as [UInt8])
    func priority(value: UInt8) {
        let facts = rig.facts { $0["apns-priority"] = String(value) }
        #expect(facts.priority == value)
        #expect(rig.reason { $0["apns-priority"] = String(value) } == nil)
    }

    @Test("any other priority is BadPriority (§3)", arguments: ["0", "2", "05", "11", "100", "", "high"])
    func badPriority(text: String) { #expect(rig.reason { $0["apns-priority"] = text } == .badPriority) }

    @Test("a collapse id has up to 64 bytes, counted as bytes (§3)")
    func collapseID() {
        #expect(rig.reason { $0["apns-collapse-id"] = String(repeating: "a", count: 64) } == nil)
        #expect(rig.reason { $0["apns-collapse-id"] = String(repeating: "a", count: 65) } == .badCollapseId)
        #expect(rig.reason { $0["apns-collapse-id"] = String(repeating: "é", count: 33) } == .badCollapseId)
    }

    @Test("an empty collapse id is refused unless a setting says otherwise (§3, unsure)")
    func emptyCollapseID() {
        #expect(rig.reason { $0["apns-collapse-id"] = "" } == .badCollapseId)
        #expect(ValidatorRig { $0.refusesEmptyCollapseID = false }.reason { $0["apns-collapse-id"] = "" } == nil)
    }

    // MARK: §4

    @Test("every push type is accepted with its own topic (§4)", arguments: PushType.allCases)
    func pushTypes(type: PushType) {
        #expect(
            rig.reason {
                $0["apns-push-type"] = type.word.description
                $0["apns-topic"] = "com.example.app" + type.topicSuffix.description
                $0["apns-priority"] = "5"
            } == nil)
    }

    @Test(
        "an unknown or upper-case push type is InvalidPushType (§3, §4)",
        arguments: ["", "Alert", "silent", "LiveActivity"])
    func badPushType(word: String) { #expect(rig.reason { $0["apns-push-type"] = word } == .invalidPushType) }

    @Test("without a push type the topic's suffix tells it, a bare topic nothing (§3: optional)")
    func absentPushType() {
        #expect(rig.reason { $0["apns-push-type"] = nil } == nil)
        #expect(rig.facts { $0["apns-push-type"] = nil }.pushType == nil)
        let facts = rig.facts {
            $0["apns-push-type"] = nil
            $0["apns-topic"] = "com.example.app.voip"
        }
        #expect(facts.pushType == .voip)
    }

    @Test("a push type that contradicts the topic's suffix is InvalidPushType (§4, observed since 2019)")
    func contradiction() {
        #expect(rig.reason { $0["apns-topic"] = "com.example.app.voip" } == .invalidPushType)
        #expect(
            rig.reason {
                $0["apns-push-type"] = "liveactivity"
                $0["apns-topic"] = "com.example.app.push-type.widgets"
            } == .invalidPushType)
    }

    @Test("a bare bundle ID on a Live Activity push is DeviceTokenNotForTopic (§4, observed)")
    func missingSuffix() {
        #expect(rig.reason { $0["apns-push-type"] = "liveactivity" } == .deviceTokenNotForTopic)
        #expect(rig.reason { $0["apns-push-type"] = "voip" } == .deviceTokenNotForTopic)
    }

    @Test("an explicit priority 10 on a background push is BadPriority; settings widen or narrow that (§4, §15.2)")
    func backgroundPriority() {
        func reason(_ rig: ValidatorRig, _ priority: String?) -> Reason? {
            rig.reason {
                $0["apns-push-type"] = "background"
                $0["apns-priority"] = priority
            }
        }
        #expect(reason(rig, "10") == .badPriority)
        #expect(reason(rig, nil) == nil)
        #expect(reason(rig, "5") == nil)
        #expect(reason(ValidatorRig { $0.backgroundPriority = .accept }, "10") == nil)
        #expect(reason(ValidatorRig { $0.backgroundPriority = .refuseTenAndAbsent }, nil) == .badPriority)
    }

    // MARK: topic, §3 and §6

    @Test("no topic is MissingTopic (§3)")
    func missingTopic() { #expect(rig.reason { $0["apns-topic"] = nil } == .missingTopic) }

    @Test(
        "what is no bundle ID is BadTopic (§6)",
        arguments: [
            "", ".voip", "com..example", ".com.example", "com.example.", "com example", "com/example",
            String(repeating: "a", count: 256),
        ])
    func badTopic(topic: String) { #expect(rig.reason { $0["apns-topic"] = topic } == .badTopic) }

    @Test("a topic outside the team's is TopicDisallowed, with any suffix (§6)")
    func disallowed() {
        let rig = ValidatorRig { $0.allowedTopics = ["com.example.app"] }
        #expect(rig.reason { _ in } == nil)
        #expect(rig.reason { $0["apns-topic"] = "com.example.app2" } == .topicDisallowed)
        let suffix = PushType.liveactivity.topicSuffix.description
        for (topic, expected) in [("com.example.app", nil), ("com.other", .topicDisallowed)] as [(String, Reason?)] {
            #expect(
                rig.reason {
                    $0["apns-push-type"] = "liveactivity"
                    $0["apns-topic"] = topic + suffix
                } == expected)
        }
    }

    // MARK: §5

    @Test("no body is PayloadEmpty, {} is accepted (§5)")
    func emptyBody() {
        #expect(rig.reason { $0.body = "" } == .payloadEmpty)
        #expect(rig.reason { $0.body = "{}" } == nil)
    }

    @Test("the limit is 4096 bytes, for VoIP 5120, and exactly that many are allowed (§5)")
    func size() {
        func body(_ count: Int) -> String { #"{"a":""# + String(repeating: "x", count: count - 8) + #""}"# }
        #expect(rig.reason { $0.body = body(4096) } == nil)
        #expect(rig.reason { $0.body = body(4097) } == .payloadTooLarge)
        func voip(_ count: Int) -> Reason? {
            rig.reason {
                $0["apns-push-type"] = "voip"
                $0["apns-topic"] = "com.example.app.voip"
                $0.body = body(count)
            }
        }
        #expect(voip(5120) == nil)
        #expect(voip(5121) == .payloadTooLarge)
    }

    @Test(
        "malformed JSON is accepted, or PayloadEmpty by a setting (§5, §15.3, unsure)",
        arguments: ["{", "[]", "x", #"{"aps":}"#])
    func malformed(body: String) {
        #expect(rig.reason { $0.body = body } == nil)
        #expect(!rig.facts { $0.body = body }.payload.isObject)
        #expect(ValidatorRig { $0.malformedPayload = .payloadEmpty }.reason { $0.body = body } == .payloadEmpty)
    }

    // MARK: the device token, §3, §6, §13

    @Test("tokens of any even size are taken, in either case (§3, §10)", arguments: [32, 64, 108, 160, 200, 512])
    func tokenSizes(count: Int) {
        #expect(rig.reason { $0.path = "/3/device/" + String(repeating: "aF", count: count / 2) } == nil)
    }

    @Test(
        "odd, non-hex, tiny and endless tokens are BadDeviceToken (§3, §6)",
        arguments: [
            String(Push.token.dropLast()), "g" + Push.token.dropFirst(), "abcd", Push.token + "?x=1",
            String(repeating: "a", count: 514),
        ])
    func badTokens(token: String) { #expect(rig.reason { $0.path = "/3/device/" + token } == .badDeviceToken) }

    @Test("what the directory says of the token is the answer (§6)")
    func standings() {
        func verdict(_ standing: TokenStanding) -> APNsVerdict {
            rig.directory.answer.withLock { $0 = standing }
            return rig.judge(rig.push())
        }
        #expect(verdict(.unknown).rejection == .badDeviceToken)
        #expect(verdict(.otherTopic).rejection == .deviceTokenNotForTopic)
        #expect(verdict(.tooMany).rejection == .tooManyRequests)
        let gone = verdict(.unregistered(sinceMilliseconds: 1_760_000_000_123))
        #expect(gone.rejection == .unregistered)
        #expect(gone.timestampMilliseconds == 1_760_000_000_123)
        let expired = verdict(.expired(sinceMilliseconds: 5))
        #expect(expired.rejection == .expiredToken)
        #expect(expired.timestampMilliseconds == 5)
    }

    @Test("an unknown token is BadDeviceToken even where its topic lacks the suffix (§7: known before topic)")
    func unknownBeforeTopic() {
        rig.directory.answer.withLock { $0 = .unknown }
        #expect(rig.reason { $0["apns-push-type"] = "liveactivity" } == .badDeviceToken)
    }
}
