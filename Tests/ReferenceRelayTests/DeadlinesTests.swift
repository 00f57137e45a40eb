import Basics
import Testing

@testable import ReferenceRelay

@Suite struct DeadlinesTests {
    @Test func itemsComeInOrderOfTimeAndThenOfArrival() {
        var deadlines = Deadlines<Int>()
        var generator = Seed(7).generator()
        let instants = (0..<500).map { _ in Int64(generator.next() % 50) }
        for (index, instant) in instants.enumerated() { deadlines.add(index, at: Instant(nanoseconds: instant)) }
        var taken: [Int] = []
        while let item = deadlines.takeDue(at: .distantFuture) { taken.append(item) }
        #expect(taken == instants.indices.sorted { (instants[$0], $0) < (instants[$1], $1) })
        #expect(deadlines.next == nil)
    }

    @Test func whatIsNotDueStays() {
        var deadlines = Deadlines<String>()
        deadlines.add("later", at: Instant(nanoseconds: 10))
        #expect(deadlines.takeDue(at: Instant(nanoseconds: 9)) == nil)
        #expect(deadlines.next == Instant(nanoseconds: 10))
        #expect(deadlines.takeDue(at: Instant(nanoseconds: 10)) == "later")
    }
}
