// The table that finds rows, beside a plain list of what is in it.

import Basics
import Testing

@testable import Devices

@Suite struct PhoneIndexTests {
    @Test("it finds what was put in and not removed, and nothing else, whatever came in between")
    func walk() {
        var tables = PhoneTables()
        var index = PhoneIndex()
        var chance = Seed(4).generator()
        var kept: [(key: UInt64, ref: PhoneRef)] = []
        var removed: [UInt64] = []
        for number in 1...3_000 {
            if kept.isEmpty || chance.unit() < 0.6 {
                var card = CardRow()
                // Neighbours in the table, of which some have the same five bits there.
                card.key = UInt64(number % 7) << 60 | UInt64(number)
                let ref = PhoneRef(.activity, tables.cards.add(card))
                index.insert(ref, in: tables)
                kept.append((card.key, ref))
            } else {
                let (key, ref) = kept.remove(at: Int.random(in: kept.indices, using: &chance))
                #expect(index.remove(ref, in: tables) && !index.remove(ref, in: tables))
                tables.cards.remove(ref.place)
                removed.append(key)
            }
            guard number % 100 == 0 else { continue }
            #expect(kept.allSatisfy { index.find($0.key, in: tables) == $0.ref })
            #expect(removed.allSatisfy { index.find($0, in: tables) == nil })
        }
        #expect(kept.count > 100 && removed.count > 100)
    }
}
