// The vocabulary in words has a row for every word there is, and its rules can be read.

import Basics
import Testing

@testable import Faults

@Suite struct FaultVocabularyTests {
    @Test("every example is a rule that uses the word", arguments: FaultVocabulary.words.map(\.name))
    func examples(name: String) throws {
        let word = try #require(FaultVocabulary.word(named: name))
        let json = try JSONValue(parsing: word.example)
        let rule = try FaultRule(json: json)
        #expect(try FaultRule(json: rule.json) == rule)
        switch word.kind {
        case .action: #expect(rule.action.word == name)
        case .criterion: #expect(json["match"]?[name] != nil)
        case .life: #expect(json[name] != nil)
        }
        #expect(word.summary.hasSuffix("."))
    }

    @Test("no word is missing, and none is there twice")
    func complete() {
        func names(_ kind: FaultWord.Kind) -> [String] { FaultVocabulary.words.filter { $0.kind == kind }.map(\.name) }
        #expect(names(.action) == ActionRow.all.map(\.name))
        #expect(names(.criterion).sorted() == FaultMatch.keys.sorted())
        #expect(names(.life).sorted() == FaultRule.keys.filter { !["id", "match", "action"].contains($0) }.sorted())
        #expect(Set(FaultVocabulary.words.map(\.name)).count == FaultVocabulary.words.count)
    }

    @Test("an action's number in the journal leads back to its word")
    func codes() throws {
        for form in ActionRow.all {
            let action = try FaultRule(json: JSONValue(parsing: #"{"action":{"\#(form.name)":\#(form.example)}}"#)).action
            #expect(FaultAction.word(of: action.code) == form.name)
        }
        #expect(FaultAction.word(of: 0) == nil && FaultAction.word(of: 200) == nil)
    }
}
