// The bounds of a goal, in events per second, as a search knows them.

package import Capacity

extension FindRecord.Result {
    package init(_ search: CapacitySearch, goal index: Int) {
        self.init()
        let goal = search.goals[index]
        answer = goal.answer
        let bounds = goal.bounds()
        if let place = bounds.lower, let tally = goal.tallies[place] {
            lower = search.grid.rate(place)
            (lowerGood, lowerSeconds) = (tally.good, tally.seconds)
            isConfirmed = goal.confirmed.contains(place)
        }
        if let place = bounds.upper, let tally = goal.tallies[place] {
            upper = search.grid.rate(place)
            (upperBad, upperSeconds) = (tally.bad, tally.seconds)
        }
    }
}
