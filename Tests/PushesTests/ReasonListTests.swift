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
}
