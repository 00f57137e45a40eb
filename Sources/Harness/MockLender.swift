// The other side of a loan: a mock that lets each run have its place that wants it.

import Basics
import MockServer

/// Confined to the thread that made it.
struct MockLender {
    private let mock: MockService
    private let directory: String
    private var isAside = false

    init(_ mock: MockService, in directory: String) {
        self.mock = mock
        self.directory = directory
    }

    /// How long to wait before the next look.
    var pace: Interval { .milliseconds(isAside ? 20 : 100) }

    /// Looks whether a run wants the place, or does no more, and goes or comes. Throws when it cannot come back.
    mutating func look() throws(Failure) {
        let isWanted = MockLoan.isWanted(of: directory)
        if isWanted, !isAside {
            mock.standAside()
            isAside = true
        } else if !isWanted, isAside {
            isAside = !(try mock.comeBack())
        }
    }
}
