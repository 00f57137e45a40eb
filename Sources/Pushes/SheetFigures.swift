// Figures of time that rest on Apple's and Google's own words, each with the claim of the fact sheets that has its source.
// Where the words give no figure, the row says that it is our reading of them.

package import Basics

package enum SheetFigures {
    /// What a relay waits before it sends again behind a 5xx of APNs (P13). Of 429 Apple says no figure.
    package static let restBehindFailure = Interval.seconds(15 * 60)
    /// The first pause behind a refusal for now. Apple asks for a delay and gives no figure (P13); a second is our reading.
    package static let firstPause = Interval.seconds(1)
    /// Less than that is at once. Our reading of P13: half of the first pause, which leaves room for chance.
    package static let leastPause = Interval.milliseconds(500)
    /// What the timestamp of a 410 counts in (P10).
    package static let timestampUnit = Interval.milliseconds(1)
    /// What goes to a registration behind a 429 of FCM without Retry-After (F7).
    package static let quotaPause = Interval.seconds(60)
    /// The first retry behind a 5xx of FCM, and the least time that a message is given to be answered (F8, F24).
    package static let messagePause = Interval.seconds(10)
    /// An access token lives an hour and is reused (F10). Who renews it ten minutes before that is prudent: our reading.
    package static let accessTokenUse = Interval.seconds(50 * 60)
    /// The system ends an activity at that age (Apple, Displaying live data).
    package static let cardLife = Interval.seconds(8 * 3_600)
}
