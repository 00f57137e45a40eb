// Every figure of time or share that the judge chose itself, and that decides what it says. docs/choices.md has them in a
// table. What Apple's and Google's sheets give stands in `SheetFigures`.

package import Basics

package enum Tolerances {
    /// Two pushes over two connections may overtake each other, and what is over so soon was none. On the host's clock.
    package static let wire = Interval.milliseconds(50)
    /// A push, a call or an answer may be under way so long, and what a process that is ended has not on its disk is as young.
    /// On the host's clock; of the run's it is `inFlightGrace`'s where a scenario gives none.
    package static let journey = Interval.seconds(1)
    /// A relay that was told something, or whose connection went, has acted by then. On the host's clock.
    package static let reaction = Interval.seconds(2)
    /// A call that we cut off by ending the relay may have been under way so long. On the host's clock.
    package static let flight = Interval.seconds(5)
    /// A relay may wait so long for an answer, and what comes so long behind the last deadline is still looked at. The most
    /// patient relay that we know gives a push up after 30 s. On the host's clock.
    package static let patience = Interval.seconds(30)
    /// Two wall clocks, of which one may keep whole seconds.
    package static let tick = Interval.seconds(1)
    /// A date that a push bears, beside the one that was declared; and a value that counts seconds by ticks of ten (R4.5).
    package static let date = Interval.seconds(10)
    /// A share of `inFlightGrace` or of a throttle's window: whoever acts at once has acted by then.
    package static let prompt = 0.25
    /// A pause may grow by so much from one to the next: twice, and a quarter of chance added.
    package static let growth = 2.5
    /// A window, a pause or an age counts as kept from so much of it on.
    package static let kept = 0.9
    /// A throttle's window of which less is left, or has passed, than this tells nothing; more of what should be spread than
    /// this is no spread.
    package static let half = 0.5
    /// The share of pushes that may be late, or of samples that may be missing.
    package static let missing = 0.01
}
