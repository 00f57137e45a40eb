// When another activity takes the place of the one whose card is watched, and what its start showed.

/// A token that is registered behind an accepted start is a successor's; where a virtual phone tells of activities, the first
/// that it tells of a newer one.
struct Succession {
    private var isRegistered = false
    /// Of the newest start since the last registration of a successor.
    private var started: UInt32?
    private var adopted: UInt32 = 0
    private var isAdopting = false

    mutating func start(_ step: UInt32) { if isRegistered { started = step } }

    /// A phone told the first or another token of that activity.
    mutating func tell(_ activity: UInt32) {
        guard activity > adopted else { return }
        isAdopting = adopted > 0
        adopted = activity
    }

    /// The relay was told a token; the step whose state the new card shows, where it is another's.
    mutating func register() -> UInt32? {
        guard isRegistered, let step = started, isAdopting || adopted == 0 else {
            (isRegistered, isAdopting) = (true, false)
            return nil
        }
        (started, isAdopting) = (nil, false)
        return step
    }
}
