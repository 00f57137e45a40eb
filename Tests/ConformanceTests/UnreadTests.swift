// Requests that nobody could read: no push tells of them, a note does.

import Conformance
import Journal
import Pushes
import Testing

@Suite("Requests that were not read")
struct UnreadTests {
    @Test("what could not be read as a request breaks requests-well-formed, or messages-well-formed at FCM")
    func unread() {
        let history = History.honest
        let why = "a list of more than 8000 bytes"
        history.run.unread = [UnreadNote(provider: .apns, connection: 3, requests: 10, why: why)]
        #expect(history.verdict(of: "requests-well-formed").findings.map(\.seen) == [why + ", 10 times"])
        #expect((history.findings("messages-well-formed") ?? 0) == 0)
        history.run.unread = [UnreadNote(provider: .fcm, connection: 3, requests: 1, why: why)]
        #expect(history.findings("requests-well-formed") == 0 && history.findings("messages-well-formed") == 1)
    }
}
