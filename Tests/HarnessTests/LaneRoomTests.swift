// How many runs go side by side after some that the machine was too busy for.

import Testing

@testable import Harness

@Suite("Lanes")
struct LaneRoomTests {
    @Test("become fewer by a quarter for each run that was starved, and never none")
    func fewer() {
        var room = LaneRoom(most: 12)
        var counts: [Int] = []
        for _ in 0..<7 {
            room.see(wasStarved: true)
            counts.append(room.count)
        }
        #expect(counts == [9, 6, 4, 3, 2, 1, 1])
    }

    @Test("come back one by one, each for as many sound runs as there are lanes, and no more than there were")
    func back() {
        var room = LaneRoom(most: 4)
        room.see(wasStarved: false)
        #expect(room.count == 4)
        room.see(wasStarved: true)
        room.see(wasStarved: true)
        #expect(room.count == 2)
        var counts: [Int] = []
        for _ in 0..<7 {
            room.see(wasStarved: false)
            counts.append(room.count)
        }
        #expect(counts == [2, 3, 3, 3, 4, 4, 4])
    }

    @Test("wait for sound runs anew after one that was starved")
    func anew() {
        var room = LaneRoom(most: 4)
        for wasStarved in [true, false, false, true, false] { room.see(wasStarved: wasStarved) }
        #expect(room.count == 2)
    }
}
