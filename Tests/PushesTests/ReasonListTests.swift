// The lists of reasons, whichever provider's, and the enums that go by them.

import Pushes
import Testing

private enum Few: UInt8, ProviderReason {
    case badCollapseId, badDeviceToken

    static var list: ReasonList { .apns }
}

@Suite struct ReasonListTests {
    @Test("no word stands twice in a list, and each has a status of a refusal and a sentence", arguments: ReasonList.allCases)
    func rows(list: ReasonList) {
        #expect(Set(list.words).count == list.rows.count && !list.rows.isEmpty)
        for row in list.rows {
            #expect(400...599 ~= row.status && row.explanation.hasSuffix("."))
            #expect(NamedReason(word: "\(row.word)", in: list)?.row.status == row.status)
        }
    }

    @Test("a reason is found by its word as on the wire, and by what is printed somewhere")
    func words() {
        #expect(NamedReason(word: "BadDeviceToken", in: .apns)?.status == 400)
        #expect(NamedReason(word: "badDeviceToken", in: .apns) == nil)
        #expect(NamedReason(word: "BadDeviceToken", in: .apnsBroadcasts) == nil)
        #expect(NamedReason(word: "BadEnvironmentKeyIdInToken", in: .apns)?.word.description == "BadEnvironmentKeyInToken")
        #expect(NamedReason(word: "Service Unavailable", in: .apnsBroadcasts)?.status == 503)
    }

    @Test("the same word of another list is that list's reason")
    func other() {
        let reason = NamedReason(word: "BadPriority", in: .apns)
        #expect(reason?.in(.apnsBroadcasts)?.list == .apnsBroadcasts)
        #expect(NamedReason(word: "Unregistered", in: .apns)?.in(.apnsBroadcasts) == nil)
    }

    @Test("an enum has the rows of its list and takes no reason of another")
    func enums() throws {
        #expect(Few.badDeviceToken.word.description == "BadDeviceToken" && Few.badDeviceToken.status == 400)
        #expect(Few(word: "BadDeviceToken") == .badDeviceToken && Few(word: "Shutdown") == nil)
        #expect(Few(Few.badCollapseId.named) == .badCollapseId)
        #expect(Few(try #require(NamedReason(word: "PayloadEmpty", in: .apnsBroadcasts))) == nil)
    }

    @Test("only a token that was good once has a time of death")
    func timestamps() {
        let timed = ReasonList.allCases.flatMap { list in list.words.compactMap { NamedReason(word: $0, in: list) } }
            .filter(\.hasTimestamp).map { "\($0.word)" }
        #expect(timed == ["ExpiredToken", "Unregistered"])
    }
}

@Suite struct CheckRowTests {
    private enum Kind: Sendable { case send, list }

    @Test("a row concerns the requests of its scopes; one without scopes all, also those of none")
    func scopes() {
        let all = CheckRow<Int, Kind>(1, "method", "§1")
        let some = CheckRow<Int, Kind>(2, "body", "§2", of: [.send])
        #expect(all.concerns(.list) && all.concerns(nil))
        #expect(some.concerns(.send) && !some.concerns(.list) && !some.concerns(nil))
    }

    @Test("the first row that objects decides, and none after it is asked")
    func first() {
        var asked: [Int] = []
        let found = [3, 4, 5, 6].firstObjection { step -> String? in
            asked.append(step)
            return step > 3 ? "no \(step)" : nil
        }
        #expect(found?.index == 1 && found?.reason == "no 4" && asked == [3, 4])
        #expect([1, 2].firstObjection { _ in String?.none } == nil)
    }

    /// What Apple's and Google's pages say of a token, and of nothing else: who forgets one for another word loses a phone.
    @Test("says of few reasons that a token is dead, and of each how")
    func deaths() {
        func words(_ list: ReasonList, _ death: ReasonRow.Death) -> Set<String> {
            Set(list.rows.filter { $0.death == death }.map(\.word.description))
        }
        #expect(words(.apns, .forGood) == ["ExpiredToken", "Unregistered"])
        #expect(words(.apns, .atThisHost) == ["BadDeviceToken"] && words(.apns, .asAddressed) == ["DeviceTokenNotForTopic"])
        #expect(words(.fcm, .forGood) == ["UNREGISTERED", "APNS_UNREGISTERED", "APNS_TOKEN_DISABLED"])
        #expect(
            words(.fcm, .asAddressed) == [
                "INVALID_REGISTRATION_TOKEN", "SENDER_ID_MISMATCH", "APNS_BAD_DEVICE_TOKEN", "APNS_DEVICE_TOKEN_NOT_FOR_TOPIC",
            ])
        for row in ReasonList.apns.rows + ReasonList.fcm.rows where row.death != nil { #expect(row.subject == .token) }
    }

    @Test("says of each reason about a credential what is wrong with it")
    func credentials() {
        func words(_ list: ReasonList, _ credential: ReasonRow.Credential) -> Set<String> {
            Set(list.rows.filter { $0.credential == credential }.map(\.word.description))
        }
        #expect(words(.apns, .expired) == ["ExpiredProviderToken"] && words(.fcm, .expired) == ["ACCESS_TOKEN_EXPIRED"])
        #expect(words(.apns, .token) == ["InvalidProviderToken", "MissingProviderToken"])
        #expect(words(.apns, .environment) == ["BadEnvironmentKeyInToken"])
        #expect(words(.fcm, .key) == ["THIRD_PARTY_AUTH_ERROR", "APNS_AUTH_ERROR"])
    }
}
