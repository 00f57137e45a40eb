// The mutants that script/mutate knows by name fit the sources.

import Foundation
import Testing

@Suite("Known mutants")
struct KnownMutantTests {
    private struct Row: Decodable {
        var path: String
        var old: String
        var new: String
        var why: String
    }

    @Test("change a text that stands once in its file")
    func fit() throws {
        let rows = try JSONDecoder().decode([Row].self, from: Data(Repository.read("Tests/mutants.json").utf8))
        #expect(rows.count > 60)
        for row in rows {
            let places = Repository.exists(row.path) ? Repository.read(row.path).components(separatedBy: row.old).count - 1 : 0
            #expect(places == 1 && row.old != row.new && !row.why.isEmpty, "\(row.path): \(row.old)")
        }
    }
}
