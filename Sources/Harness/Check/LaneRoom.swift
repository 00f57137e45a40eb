// How many runs a machine carries side by side, as it turns out.

/// A run that the machine was too busy for takes a quarter of the lanes; as many sound ones as there are lanes give one back.
struct LaneRoom {
    let most: Int
    private(set) var count: Int
    /// Sound runs since the last change.
    private var sound = 0

    /// `most` is at least 1.
    init(most: Int) {
        self.most = most
        count = most
    }

    mutating func see(wasStarved: Bool) {
        if wasStarved {
            count = max(1, count * 3 / 4)
            sound = 0
        } else if count < most {
            sound += 1
            guard sound >= count else { return }
            count += 1
            sound = 0
        }
    }
}
