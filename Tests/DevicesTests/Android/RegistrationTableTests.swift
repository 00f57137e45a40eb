// The table of registrations against a dictionary.

import Basics
import Testing

@testable import Devices

@Suite("The table of registrations") struct RegistrationTableTests {
    @Test("finds what was inserted and not removed, whatever lies beside it", arguments: 1...8)
    func model(seed: UInt64) {
        var generator = Seed(seed).generator()
        var table = RegistrationTable()
        var model: [Hash128: UInt32] = [:]
        // Few homes, so that rows stand in long runs, also over the table's end.
        let hashes = (1...300).map { Hash128(high: $0, low: seed % 2 == 0 ? generator.next() : generator.next() & 7 | ~0xF) }
        for step in 0..<5_000 {
            let hash = hashes[Int(generator.next() % 300)]
            switch (table.find(hash), generator.next() % 2) {
            case (let place?, 0):
                table.remove(at: place)
                model[hash] = nil
            case (let place?, _):
                #expect(table[place].messages == model[hash])
            case (nil, _):
                #expect(model[hash] == nil)
                let place = table.insert(hash)
                #expect(table[place].hash == hash && table[place].messages == 0)
                table[place].messages = UInt32(step)
                model[hash] = UInt32(step)
            }
            #expect(table.count == model.count)
        }
        for hash in hashes {
            let found = table.find(hash).map { table[$0].messages }
            #expect(found == model[hash])
        }
    }

    @Test("a row has 48 bytes")
    func size() { #expect(MemoryLayout<RegistrationRow>.stride == 48) }
}
