import Basics
import Testing

@testable import ReferenceRelay

/// Defects in what is in a payload.
@Suite struct DefectPayloadTests {
    private func updates(_ defect: Defect, title: String = "T", message: String = "M") -> (honest: Rig, broken: Rig) {
        pair(defect) { rig in
            rig.activity()
            rig.event(.progress, message, status: .retry, retryInfo: "Retry 1/5 in 2s", title: title)
        }
    }

    private func starts(_ defect: Defect) -> (honest: Rig, broken: Rig) { pair(defect) { $0.event(.start) } }

    @Test func endsWithUpdate() {
        let (honest, broken) = pair(.endsWithUpdate) { rig in
            rig.activity()
            rig.event(.complete)
        }
        #expect(honest.seen == ["alert d1", "end a1 complete"])
        #expect(broken.seen == ["alert d1", "update a1 complete"])
    }

    @Test func loudProgress() {
        let (honest, broken) = pair(.loudProgress) { rig in
            rig.activity()
            rig.event(.progress)
            rig.event(.permission)
        }
        func alerts(_ rig: Rig) -> [Bool] { rig.attempts.filter(\.isActivity).map { Rig.payload($0)["aps"]?["alert"] != nil } }
        #expect(alerts(honest) == [false, false] && alerts(broken) == [true, false])
    }

    @Test func addsStateKey() {
        let (honest, broken) = updates(.addsStateKey)
        #expect(honest.state(0).object?.keys == ["status", "sessionTitle", "lastMessage", "retryInfo"])
        #expect(broken.state(0).object?.keys == ["status", "sessionTitle", "lastMessage", "retryInfo", "updatedBy"])
    }

    @Test func wrongCaseKeys() {
        let (honest, broken) = updates(.wrongCaseKeys)
        #expect(honest.state(0)["sessionTitle"] == "T" && honest.state(0)["sessiontitle"] == nil)
        #expect(broken.state(0)["sessionTitle"] == nil && broken.state(0)["sessiontitle"] == "T")
    }

    @Test func hidesQuestions() {
        let (honest, broken) = pair(.hidesQuestions) { rig in
            rig.activity()
            rig.event(.permission)
            rig.event(.complete)
        }
        func statuses(_ rig: Rig) -> [String?] {
            rig.attempts.indices.filter { rig.attempts[$0].isActivity }.map { rig.state($0)["status"]?.string }
        }
        #expect(statuses(honest) == ["permission", "complete"])
        #expect(statuses(broken) == ["working", "complete"])
    }

    @Test func losesRetryInfo() {
        let (honest, broken) = updates(.losesRetryInfo)
        #expect(honest.state(0)["retryInfo"] == "Retry 1/5 in 2s")
        #expect(broken.state(0)["retryInfo"] == .null)
    }

    @Test func wrapsState() {
        let (honest, broken) = starts(.wrapsState)
        #expect(honest.state(0)["status"] == "working")
        #expect(broken.state(0)["status"] == nil && broken.state(0)["props"]?.string != nil)
        #expect(broken.aps(0)["attributes-type"] == "SessionActivityAttributes")
    }

    @Test func oversizedPayloads() {
        let title = String(repeating: "t", count: 300)
        let (honest, broken) = updates(.oversizedPayloads, title: title, message: String(repeating: "m", count: 200))
        #expect(honest.attempts[0].payload.count < 4_096)
        #expect(honest.message(0)?.count == 120)
        #expect(broken.attempts[0].payload.count > 4_096)
        #expect(broken.message(0)?.count == 200)
        let (_, short) = updates(.oversizedPayloads)
        #expect(short.attempts[0].payload.count < 4_096, "titles of ordinary length are left alone")
    }

    @Test(arguments: [
        (Defect.startWithoutAlert, ["alert"]), (.startWithoutAttributes, ["attributes", "attributes-type"]),
        (.startWithoutInputToken, ["input-push-token"]),
    ])
    func startsLackTheirMember(defect: Defect, missing: [String]) {
        let (honest, broken) = starts(defect)
        let all = Set(honest.aps(0).object?.keys ?? [])
        #expect(all.isSuperset(of: missing))
        #expect(Set(broken.aps(0).object?.keys ?? []) == all.subtracting(missing))
    }
}
