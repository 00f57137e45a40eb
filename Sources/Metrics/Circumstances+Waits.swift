// How long a relay may wait behind an answer before it sends again, by what is owed to no call as well: so long its account
// stays open.

package import Basics
import Pushes

extension Circumstances {
    /// From the answer on; nil where nothing has to wait behind it.
    package func longestWait(behind push: SeenPush, _ before: RefusalRows.Before) -> Interval? {
        let wait = push.metFault ? wait(behind: push, before).map { $0 - push.answeredAt } : nil
        guard push.isToComeAgain else { return wait }
        return max(wait ?? .zero, ofAge(push))
    }

    /// What an activity's age asks for, a start or an end, comes again by pauses of the relay's own: by the rules' words twice
    /// what the profile says, and behind a failure of APNs twice what Apple says.
    private func ofAge(_ push: SeenPush) -> Interval {
        guard push.isLiveActivity, push.metFault else { return .zero }
        let least = push.status >= 500 ? SheetFigures.restBehindFailure : .zero
        let ofRestart = restart.map { max($0.pause, least) * 2 } ?? .zero
        return max(ofRestart, ageing == nil ? .zero : SheetFigures.restBehindFailure * 2)
    }
}
