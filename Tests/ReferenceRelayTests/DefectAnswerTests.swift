import Basics
import Pushes
import Testing

@testable import ReferenceRelay

/// Defects in what is made of an answer of APNs.
@Suite struct DefectAnswerTests {
    private let dead = Rig.refusal(410, "Unregistered")
    private let busy = Rig.refusal(503, "ServiceUnavailable")

    @Test func stopsAtFailure() {
        let (honest, broken) = pair(.stopsAtFailure) { rig in
            rig.activity()
            rig.answer = { $0.isActivity ? Rig.accepted : .answered(status: 410, reason: "Unregistered", timestamp: nil) }
            rig.event(.permission)
            rig.event(.permission)
        }
        #expect(honest.seen == ["alert d1", "update a1 permission", "update a1 permission"])
        #expect(broken.seen == ["alert d1", "update a1 permission"])
    }

    @Test func keepsDeadDeviceTokens() {
        let (honest, broken) = pair(.keepsDeadDeviceTokens) { rig in
            rig.activity()
            rig.answer = { [dead] _ in dead }
            rig.event(.permission)
            rig.event(.permission)
        }
        #expect(honest.seen == ["alert d1", "update a1 permission"])
        #expect(broken.seen == ["alert d1", "update a1 permission", "alert d1"])
    }

    @Test func knowsOnlyUnregistered() {
        for (reason, count) in [("Unregistered", 0), ("ExpiredToken", 1)] {
            let (honest, broken) = pair(.knowsOnlyUnregistered) { rig in
                rig.activity()
                rig.answer = { $0.token == "a1" ? Rig.refusal(410, reason) : Rig.accepted }
                rig.event(.progress)
            }
            #expect(honest.rows.activities.isEmpty)
            #expect(broken.rows.activities.count == count, "\(reason)")
            #expect(broken.attempts.count == 1)
        }
    }

    @Test func ignores410Timestamp() {
        let (honest, broken) = pair(.ignores410Timestamp) { rig in
            rig.pass(.seconds(100))
            rig.activity()
            let before = rig.time.wall().milliseconds - 50_000
            rig.answer = { $0.token == "a1" ? Rig.refusal(410, "Unregistered", timestamp: before) : Rig.accepted }
            rig.event(.progress)
        }
        #expect(honest.rows.activities.count == 1)
        #expect(broken.rows.activities.isEmpty)
    }

    @Test(arguments: [
        (Defect.prunesWhenBusy, 429, "TooManyRequests"), (.prunesWhenBusy, 503, "Shutdown"),
        (.prunesOnCredentials, 403, "ExpiredProviderToken"), (.prunesOnAnyRefusal, 400, "BadTopic"),
    ])
    func prunesForNothing(defect: Defect, status: Int, reason: String) {
        let (honest, broken) = pair(defect) { rig in
            rig.activity()
            rig.answer = { $0.token == "a1" ? Rig.refusal(status, reason) : Rig.accepted }
            rig.event(.progress)
        }
        #expect(honest.rows.activities.count == 1)
        #expect(broken.rows.activities.isEmpty)
    }

    @Test func dropsLivingRows() {
        let (honest, broken) = pair(.dropsLivingRows) { rig in
            rig.activity()
            rig.answer = { [dead] in $0.token == "a1" ? dead : Rig.accepted }
            rig.event(.permission)
            rig.event(.permission)
        }
        #expect(honest.rows.activities.isEmpty && broken.rows.activities.isEmpty)
        #expect(honest.rows.devices.count == 1 && broken.rows.devices.isEmpty)
        #expect(broken.seen == honest.seen, "it is known as long as the relay runs")
        #expect(broken.seen.last == "alert d1")
    }

    @Test func prunesChangedRow() {
        let (honest, broken) = pair(.prunesChangedRow) { rig in
            rig.activity("a1")
            rig.answer = { _ in nil }
            rig.event(.progress)
            rig.activity("a2")
            rig.answer = { _ in Rig.accepted }
            rig.answerOldest(Rig.refusal(410, "Unregistered"))
        }
        #expect(honest.rows.activities.map(\.token) == ["a2"])
        #expect(broken.rows.activities.isEmpty)
    }

    @Test func repeatsRefused() {
        let (honest, broken) = pair(.repeatsRefused) { rig in
            rig.activity()
            rig.answer = { _ in Rig.refusal(400, "BadTopic") }
            rig.event(.progress)
            rig.pass(.seconds(2))
        }
        #expect(honest.seen == ["update a1 working"])
        #expect(broken.seen.count > 1)
    }

    @Test func prunesAllTokens() {
        let (honest, broken) = pair(.prunesAllTokens) { rig in
            rig.activity()
            rig.answer = { [dead] in $0.token == "a1" ? dead : Rig.accepted }
            rig.event(.progress)
        }
        #expect(honest.rows.devices.count == 1)
        #expect(broken.rows.devices.isEmpty)
    }

    @Test(arguments: [
        (Defect.ignoresEnvironmentHint, 403, "BadEnvironmentKeyInToken"),
        (.neverTriesOtherEnvironment, 400, "BadDeviceToken"),
    ])
    func theOtherHostIsNotAsked(defect: Defect, status: Int, reason: String) {
        for (wrong, word) in [(403, "BadEnvironmentKeyInToken"), (400, "BadDeviceToken")] {
            let (honest, broken) = pair(hosts: 2, defect) { rig in
                rig.answer = { $0.environment == .sandbox ? Rig.accepted : Rig.refusal(wrong, word) }
                rig.event(.permission, session: "s9")
            }
            #expect(honest.hosts.prefix(2) == [.production, .sandbox])
            #expect(broken.hosts.contains(.sandbox) == (word != reason), "the other reason is known")
        }
    }

    @Test(arguments: [(Defect.asksSandboxOnly, PushEnvironment.sandbox), (.asksProductionOnly, .production)])
    func oneHostAlone(defect: Defect, host: PushEnvironment) {
        let (honest, broken) = pair(hosts: 2, defect) { rig in
            rig.activity()
            rig.answer = { $0.environment == host ? Rig.refusal(400, "BadDeviceToken") : Rig.accepted }
            rig.event(.progress)
        }
        #expect(honest.hosts.last == host.other)
        #expect(broken.hosts == [host])
    }

    @Test func keepsExpiredProviderToken() {
        let (honest, broken) = pair(start: nil, .keepsExpiredProviderToken) { rig in
            rig.answer = { _ in Rig.refusal(403, "ExpiredProviderToken") }
            rig.event(.permission)
            rig.event(.permission)
        }
        #expect(honest.signatures == 2 && honest.renewals.count == 1)
        #expect(broken.signatures == 1 && broken.renewals.isEmpty)
        #expect(broken.attempts.count == 2)
    }

    @Test func staysWedged() {
        let (honest, broken) = pair(start: nil, .staysWedged) { rig in
            rig.answer = { $0.renewedToken ? Rig.accepted : Rig.refusal(403, "ExpiredProviderToken") }
            rig.event(.permission)
        }
        #expect(honest.signatures == 2 && honest.renewals.count == 1)
        #expect(broken.signatures == 2 && broken.renewals.isEmpty)
    }

    /// Once in a while: it is told so of each token.
    @Test func signsFor429() {
        let (honest, broken) = pair(start: nil, .signsFor429) { rig in
            var isFirst = true
            rig.answer = { _ in
                defer { isFirst = false }
                return isFirst ? Rig.refusal(429, "TooManyProviderTokenUpdates") : Rig.accepted
            }
            rig.event(.permission)
            rig.pass(.seconds(10))
            rig.answer = { _ in Rig.refusal(429, "TooManyRequests") }
            rig.event(.permission)
        }
        #expect(honest.signatures == 1 && broken.signatures == 2)
        #expect(honest.attempts.count == broken.attempts.count)
    }

    @Test func losesRefusedStreams() {
        let (honest, broken) = pair(start: nil, .losesRefusedStreams) { rig in
            var isFirst = true
            rig.answer = { _ in
                defer { isFirst = false }
                return isFirst ? .failed(isSafeToResend: true, words: "refused") : Rig.accepted
            }
            rig.event(.permission)
            rig.pass(.seconds(10))
        }
        #expect(honest.attempts.count == 2)
        #expect(broken.attempts.count == 1)
    }

    private func waits(_ rig: Rig) -> [Double] {
        var instants: [Instant] = []
        rig.answer = { [busy, time = rig.time] _ in
            instants.append(time.now())
            return busy
        }
        rig.event(.permission)
        rig.pass(.seconds(100))
        return zip(instants, instants.dropFirst()).map { ($1 - $0).seconds }
    }

    @Test func retriesAtOnce() {
        let (honest, broken) = pair(start: nil, .retriesAtOnce, { $0.retryDelay = .seconds(1) }) { _ in }
        #expect(waits(honest)[0] >= 1)
        let broken1 = waits(broken)
        #expect(broken1[0] == 0 && broken1[1] >= 2)
    }

    @Test func storms() {
        let (honest, broken) = pair(start: nil, .storms, { $0.retryDelay = .seconds(1) }) { _ in }
        #expect(waits(honest).allSatisfy { $0 >= 1 })
        #expect(waits(broken).allSatisfy { $0 <= 0.101 })
    }

    @Test func newIDPerTry() {
        func ids(_ rig: Rig) -> [String] {
            var ids: [String] = []
            rig.answer = { [busy] push in
                ids.append(push.apnsID)
                return busy
            }
            rig.event(.permission)
            rig.pass(.seconds(100))
            return ids
        }
        let (honest, broken) = pair(start: nil, .newIDPerTry) { _ in }
        #expect(Set(ids(honest)).count == 1)
        let tries = ids(broken)
        #expect(tries.count == 8 && Set(tries).count == 8)
    }

    @Test func waitsForEver() {
        var tickets: [EventTicket] = []
        let (honest, broken) = pair(start: nil, .waitsForEver) { rig in
            rig.answer = { _ in nil }
            tickets.append(rig.event(.permission))
            rig.pass(.seconds(60))
        }
        #expect(honest.isAnswered(tickets[0]) && (tickets[0].sent, tickets[0].failed) == (0, 1))
        #expect(!broken.isAnswered(tickets[1]))
    }

    @Test func mixesTeams() throws {
        let (honest, broken) = pair(start: nil, .mixesTeams) { rig in
            for _ in 0..<4 { rig.event(.permission) }
        }
        #expect(Set(honest.authorizations).count == 1)
        #expect(Set(broken.authorizations).count == 2)
        let claims = try broken.authorizations.prefix(2).map { value in
            let part = try #require(value.split(separator: ".").dropFirst().first)
            let bytes = try #require(Base64URL.decode(String(part)))
            return try JSONValue(parsing: String(decoding: bytes, as: UTF8.self))["iss"]?.string
        }
        #expect(claims == ["TEAMTEAM12", "OTHERTEAM0"])
    }
}
