// Sessions as they could have been seen: one whose card was nine seconds behind, and one that was hardly ever.

import Basics
import Metrics
import Schemas
import Sessions

extension Sample {
    static func sessions(_ turn: (inout SessionsSeen) -> Void = { _ in }) -> SessionsSeen {
        var seen = SessionsSeen(
            shown: 400, behind: 380, lived: .seconds(40_000), behindFor: .seconds(2_000), placeLength: .seconds(1),
            places: (0..<150).map { second in
                guard second > 4 else { return StalenessPlace() }
                let most = Interval.milliseconds(Int64(200 + 60 * abs(75 - second)))
                return StalenessPlace(cards: 120, median: .zero, p95: .milliseconds(150), most: most)
            }, worst: [behind, brief])
        turn(&seen)
        return seen
    }

    static let behind: SessionSeen = {
        var session = SessionSeen(
            session: 17, age: .seconds(9.1), at: .seconds(43.3), offeredAt: .seconds(34.2), behind: .seconds(9.7), shownStep: 4,
            newerStep: 5)
        session.marks = [
            LaneMark(.offered, at: .seconds(30), step: 4, "progress"),
            LaneMark(.answered, at: .seconds(30.002), step: 4, "progress: 200 in 2 ms"),
            LaneMark(.taken, at: .seconds(30.01), step: 4, "update: updated"),
            LaneMark(.shown, at: .seconds(30.01), step: 4, "Reading · Working · Parser"),
            LaneMark(.offered, at: .seconds(34.2), step: 5, "progress"),
            LaneMark(.failed, at: .seconds(34.7), step: 5, "progress: 500 in 500 ms"),
            LaneMark(.refused, at: .seconds(35), step: 5, "update: 503 ServiceUnavailable"),
            LaneMark(.passed, at: .seconds(36), step: 3, "update: ignored-older"),
            LaneMark(.phone, at: .seconds(40), "activity 1: rotated"),
            LaneMark(.taken, at: .seconds(43.3), step: 5, "update: updated"),
            LaneMark(.shown, at: .seconds(43.3), step: 5, "Editing · Working · Parser"),
        ]
        session.stale = [.seconds(34.2)..<(.seconds(43.3)), .seconds(50)..<(.seconds(50.6))]
        session.card = card("Reading", since: 30.01)
        session.next = card("Editing", since: 43.3)
        session.next?.text.progress = "40 %"
        session.next?.text.fraction = 0.4
        return session
    }()

    static let brief: SessionSeen = {
        var session = SessionSeen(
            session: 3, phone: 1, age: .milliseconds(12), at: .seconds(12.012), offeredAt: .seconds(12), behind: .milliseconds(40),
            shownStep: 1, newerStep: 1_048_577)
        session.left = 7
        return session
    }()

    static func card(_ body: String, since: Double) -> CardSeen {
        var text = CardText()
        (text.title, text.status, text.body, text.since) = ("Parser", "Working", body, "1:02:03")
        return CardSeen(since: .seconds(since), text: text)
    }
}
