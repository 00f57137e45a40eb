// Sendora's rows: who may do what with them, which activity a registration is of, and what is pushed (claims R3).

import Basics
import Glibc
import Testing

@testable import ReferenceRelay

/// Calls with a key, and what came of them.
struct SendoraRig {
    static let activities = "/api/v1/push/live-activities"
    static let server = "sk_prod_growth_acme"
    static let app = "pk_prod_growth_acme"

    let rig: LoopbackRig

    static func with(
        _ defects: Set<Defect> = [], _ change: (inout RelayOptions) -> Void = { _ in }, _ body: (SendoraRig) throws -> Void
    ) throws {
        try LoopbackRig.with {
            $0.dialect = .sendora
            $0.defects = defects
            change(&$0)
        } _: { try body(SendoraRig(rig: $0)) }
    }

    func call(_ method: String, _ path: String, _ body: String = "", key: String? = server) -> CallAnswer {
        rig.client.call(method, path, body, headers: key.map { [(name: "x-api-key", value: $0)] } ?? [])
    }

    func register(_ token: String = "a1", order: String = "o1", more: String = "", key: String? = app) -> CallAnswer {
        let body =
            #"{"pushToken":"\#(token)","activityType":"Order","attributes":{"orderId":"\#(order)"},"#
            + #""contentState":{"minutesAway":30}\#(more)}"#
        return call("POST", Self.activities + "/start-token", body, key: key)
    }

    /// The id of the row that a registration is of.
    func row(_ token: String = "a1", order: String = "o1", more: String = "") throws -> String {
        try #require(try JSONValue(parsing: register(token, order: order, more: more).body).at(pointer: "/data/id")?.string)
    }

    func update(_ row: String, _ minutes: Int = 12, more: String = "", key: String? = server) -> CallAnswer {
        call(
            "PATCH", Self.activities + "/\(row)/update", #"{"contentState":{"minutesAway":\#(minutes)}\#(more)}"#, key: key)
    }

    func end(_ row: String, key: String? = server) -> CallAnswer { call("DELETE", Self.activities + "/\(row)", key: key) }

    func list(_ query: String = "", key: String? = server) throws -> [JSONValue] {
        try JSONValue(parsing: call("GET", Self.activities + query, key: key).body)["data"]?.array ?? []
    }

    func states() throws -> [String] { try list().compactMap { $0["status"]?.string } }

    /// The bodies of the requests so far.
    func seen(_ count: Int) throws -> [JSONValue] { try rig.apns.await(count).map { try JSONValue(parsing: $0.body) } }

    /// None comes for a while.
    func staysAt(_ count: Int) -> Bool {
        usleep(150_000)
        return rig.apns.pushes.count == count
    }
}

@Suite(.serialized) struct SendoraTests {
    private typealias Rig = SendoraRig

    @Test(arguments: [[], [.hidesRetryTime]] as [Set<Defect>])
    func beyondSoManyCallsInAMinuteACallerIsToldWhenToComeBack(defects: Set<Defect>) throws {
        try Rig.with(defects) { rig in
            let answers = (0...SendoraMeter.perMinute * 2).lazy.map { _ in rig.call("GET", Rig.activities) }
            let refused = try #require(answers.first { $0.status != 200 })
            #expect(refused.status == 429)
            let seconds = try JSONValue(parsing: refused.body).at(pointer: "/error/details/retryAfterSeconds")?.int
            #expect(seconds.map { 1...60 ~= $0 } == (defects.isEmpty ? true : nil))
            #expect(rig.call("GET", Rig.activities, key: "sk_prod_growth_other").status == 200)
        }
    }

    // MARK: Keys

    @Test(arguments: [
        (nil, 401), ("", 401), ("sk_prod_growth", 401), ("xk_prod_growth_acme", 401), ("sk_moon_growth_acme", 401),
        ("sk_prod_free_acme", 402), ("pk_prod_growth_acme", 403), ("sk_prod_growth_other", 404), ("sk_prod_growth_acme", 200),
        ("sk_staging_growth_acme", 200), ("sk_live_growth_acme", 200),
    ] as [(String?, Int)])
    func aKeyOpensItsOwnRowsAtItsTier(key: String?, status: Int) throws {
        try Rig.with { rig in
            let row = try rig.row()
            let answer = rig.update(row, key: key)
            #expect(answer.status == status)
            #expect(answer.body.contains("tier_required") == (status == 402))
            #expect(rig.staysAt(status == 200 ? 1 : 0))
        }
    }

    @Test func belowTheTierNoneOfTheFourRoutesDoesAnything() throws {
        try Rig.with { rig in
            let row = try rig.row()
            let free = "sk_prod_free_acme"
            #expect(rig.register("a2", key: free).status == 402 && rig.update(row, key: free).status == 402)
            #expect(rig.end(row, key: free).status == 402)
            #expect(rig.call("GET", Rig.activities, key: free).status == 402)
            let states = try rig.states()
            #expect(states == ["active"])
            #expect(rig.call("POST", "/api/v1/push/tokens", #"{"platform":"ios","token":"a1"}"#, key: free).status == 200)
        }
    }

    @Test func anAppRegistersAndDoesNothingElse() throws {
        try Rig.with { rig in
            let row = try rig.row()
            #expect(rig.update(row, key: Rig.app).status == 403 && rig.end(row, key: Rig.app).status == 403)
            #expect(rig.call("GET", Rig.activities, key: Rig.app).status == 403)
            #expect(rig.update(row).status == 200)
        }
    }

    @Test func aPathWithAnOrganisationIsThatOfTheKey() throws {
        try Rig.with { rig in
            let row = try rig.row()
            let body = #"{"contentState":{"minutesAway":3}}"#
            func path(_ organisation: String) -> String {
                "/api/v1/orgs/\(organisation)/push/live-activities/\(row)/update"
            }
            #expect(rig.call("PATCH", path("acme"), body).status == 200)
            #expect(rig.call("PATCH", path("other"), body).status == 403)
            #expect(rig.call("PATCH", path("other"), body, key: "sk_prod_growth_other").status == 404)
            #expect(rig.staysAt(1))
        }
    }

    @Test(arguments: [
        (Defect.servesAnyTier, "sk_prod_free_acme"), (.obeysPublicKeys, "pk_prod_growth_acme"),
        (.opensForeignRows, "sk_prod_growth_other"), (.servesWithoutKeys, nil),
    ] as [(Defect, String?)])
    func eachDefectOfKeysOpensWhatItSays(defect: Defect, key: String?) throws {
        try Rig.with([defect]) { rig in
            let row = try rig.row()
            #expect(rig.update(row, key: key).status == 200)
            #expect(rig.rig.apns.await(1).count == 1)
        }
    }

    // MARK: Rows

    @Test func aNewTokenOfTheSameActivityKeepsItsRow() throws {
        try Rig.with { rig in
            #expect(rig.register().status == 201)
            let row = try rig.row("a2")
            #expect(rig.register("a2").status == 200)
            let others = [try rig.row(order: "o2"), try rig.row("a4", more: #","userId":"ann""#)]
            #expect(!others.contains(row), "other attributes are another activity's, and so is another user")
            #expect(rig.update(row).status == 200)
            #expect(rig.rig.apns.await(1).map(\.path) == ["/3/device/a2"])
        }
    }

    @Test func aBusinessIDSaysWhichActivityItIsAndFindsBothPlatforms() throws {
        try Rig.with { rig in
            let named = #","externalId":"x1""#
            let row = try rig.row(more: named)
            let again = try rig.row("a2", order: "o2", more: named)
            #expect(again == row)
            let android = try rig.row("r1:APA91b", more: named + #","platform":"android""#)
            let found = try rig.list("?externalId=x1").compactMap { $0["id"]?.string }
            #expect(Set(found) == [row, android])
            let (ended, foreign) = (try rig.list("?externalId=x1&status=ended"), try rig.list(key: "sk_prod_growth_other"))
            #expect(ended.isEmpty && foreign.isEmpty)
        }
    }

    @Test func aSecondRowForAChangedTokenIsADefect() throws {
        try Rig.with([.makesSecondRow]) { rig in
            let rows = [try rig.row(), try rig.row("a2")]
            #expect(rows[0] != rows[1])
        }
    }

    @Test(arguments: [
        #"{}"#, #"{"pushToken":"a1","activityType":"Order","attributes":{}}"#,
        #"{"pushToken":"a1","activityType":"Order","attributes":{},"contentState":3}"#,
        #"{"pushToken":"a1","activityType":"Order","attributes":{},"contentState":{},"platform":"palm"}"#,
        #"{"pushToken":"r1:APA91b","activityType":"Order","attributes":{},"contentState":{}}"#,
        #"{"pushToken":"a1","activityType":"Order","attributes":{},"contentState":{},"platform":"android"}"#,
        #"{"pushToken":"a1","activityType":"Order","attributes":{},"contentState":{},"fcmToken":"a2"}"#,
    ])
    func aRegistrationThatDoesNotFitIsRefusedInTheEnvelope(body: String) throws {
        try Rig.with { rig in
            let answer = rig.call("POST", Rig.activities + "/start-token", body, key: Rig.app)
            #expect(answer.status == 400 && answer.body.contains(#""code":"VALIDATION_ERROR""#))
            let states = try rig.states()
            #expect(states == [])
        }
    }

    // MARK: Pushes

    @Test func anUpdateIsPushedAsItIsWithAnAlertOrWithout() throws {
        try Rig.with { rig in
            let row = try rig.row()
            #expect(rig.update(row).status == 200)
            #expect(rig.update(row, 5, more: #","alert":{"title":"Soon","body":"Ada is near"}"#).status == 200)
            let pushes = rig.rig.apns.await(2)
            #expect(pushes.allSatisfy { $0.topic == "com.example.app.push-type.liveactivity" && $0.priority == "10" })
            let aps = try rig.seen(2).map { try #require($0["aps"]) }
            #expect(aps.map { $0["content-state"]?.text } == [#"{"minutesAway":12}"#, #"{"minutesAway":5}"#])
            #expect(aps.map { $0["alert"]?["body"]?.string } == [nil, "Ada is near"])
            #expect(aps.allSatisfy { $0["event"]?.string == "update" && $0["sound"] == nil })
            let stamps = aps.compactMap { $0["timestamp"]?.int }
            #expect(stamps.count == 2 && stamps[0] < stamps[1], "a second each, though both came in one")
        }
    }

    @Test(arguments: [
        (Defect.dropsUpdateAlerts, "alert"), (.soundsQuietUpdates, "sound"), (.writesNumbersAsTexts, "content-state"),
    ])
    func eachDefectOfPayloadsChangesWhatItSays(defect: Defect, key: String) throws {
        func said(_ defects: Set<Defect>) throws -> [String?] {
            var texts: [String?] = []
            try Rig.with(defects) { rig in
                let row = try rig.row()
                _ = rig.update(row)
                _ = rig.update(row, more: #","alert":{"title":"Soon","body":"Ada is near"}"#)
                texts = try rig.seen(2).map { $0["aps"]?[key]?.text }
            }
            return texts
        }
        let (honest, broken) = (try said([]), try said([defect]))
        #expect(honest != broken)
    }

    @Test func anUpdateReplacesTheStateAndADefectMergesIt() throws {
        for defects in [[], [.mergesStates]] as [Set<Defect>] {
            try Rig.with(defects) { rig in
                let row = try rig.row()
                let answer = rig.call("PATCH", Rig.activities + "/\(row)/update", #"{"contentState":{"driver":"Ada"}}"#)
                #expect(answer.status == 200)
                let state = try rig.seen(1)[0].at(pointer: "/aps/content-state")
                #expect((state?["minutesAway"] != nil) == !defects.isEmpty && state?["driver"] == "Ada")
            }
        }
    }

    @Test func whatIsTooLargeIsRefusedAndNothingIsPushed() throws {
        try Rig.with { rig in
            let row = try rig.row()
            let text = String(repeating: "x", count: 4_096)
            let answer = rig.call("PATCH", Rig.activities + "/\(row)/update", #"{"contentState":{"name":"\#(text)"}}"#)
            #expect(answer.status == 413 && answer.body.contains("PAYLOAD_TOO_LARGE"))
            for body in [#"{}"#, #"{"contentState":[]}"#, #"{"contentState":{},"alert":{"title":"No body"}}"#] {
                #expect(rig.call("PATCH", Rig.activities + "/\(row)/update", body).status == 400, "\(body)")
            }
            #expect(rig.staysAt(0))
        }
    }

    @Test func beyondItsBudgetAQuietUpdateGoesAtFiveAndTheRowIsWarned() throws {
        try Rig.with { rig in
            let row = try rig.row()
            for number in 1...30 {
                #expect(rig.update(row, number).status == 200)
                if number == 29 {
                    let before = try rig.list()[0]
                    #expect(before["warning"] == .null)
                }
            }
            _ = rig.update(row, more: #","alert":{"title":"Soon","body":"Ada is near"}"#)
            let priorities = rig.rig.apns.await(31).map(\.priority)
            #expect(priorities == Array(repeating: "10", count: 5) + Array(repeating: "5", count: 25) + ["10"])
            let listed = try rig.list()[0]
            #expect(listed["warning"] == "BUDGET_EXCEEDED" && listed["updatesThisHour"] == 31)
        }
    }

    // MARK: Ends

    @Test func anEndSaysTheLastStateAndComesOnce() throws {
        try Rig.with { rig in
            let row = try rig.row()
            _ = rig.update(row, 3)
            #expect(rig.end(row).status == 200)
            #expect(rig.end(row).status == 404 && rig.update(row).status == 404)
            let last = try rig.seen(2)[1]
            #expect(last.at(pointer: "/aps/event") == "end" && last.at(pointer: "/aps/content-state/minutesAway") == 3)
            let stamp = try #require(last.at(pointer: "/aps/timestamp")?.int)
            #expect(last.at(pointer: "/aps/dismissal-date")?.int == stamp + 240)
            let states = try rig.states()
            #expect(states == ["ended"])
            #expect(rig.staysAt(2))
        }
    }

    @Test(arguments: [(410, "Unregistered"), (410, "ExpiredToken"), (400, "BadDeviceToken")])
    func aDeadTokenInvalidatesItsRow(status: Int, reason: String) throws {
        try Rig.with { rig in
            rig.rig.apns.answer { _, _ in .respond(status, #"{"reason":"\#(reason)"}"#) }
            let row = try rig.row()
            _ = rig.update(row)
            #expect(rig.rig.apns.await(1).count == 1)
            usleep(100_000)
            let answer = rig.update(row)
            #expect(answer.status == 200 && answer.body.contains("invalidated"))
            let states = try rig.states()
            #expect(states == ["invalidated"])
            #expect(rig.staysAt(1))
        }
    }

    @Test func anActivityThatGrowsTooOldIsEndedWithItsLastState() throws {
        try Rig.with([], { $0.activityLifetime = .milliseconds(1_500) }) { rig in
            let row = try rig.row()
            _ = rig.update(row, 7)
            let last = try rig.seen(2)[1]
            #expect(last.at(pointer: "/aps/event") == "end" && last.at(pointer: "/aps/content-state/minutesAway") == 7)
            usleep(100_000)
            #expect(rig.update(row).status == 404)
            let states = try rig.states()
            #expect(states == ["ended"])
        }
    }
}
