// What is suggested in place of a word that does not exist.

import Basics
import Testing

@Suite struct SuggestionTests {
    @Test(arguments: [
        ("BadDeviceTokn", "BadDeviceToken"), ("mok", "mock"), ("RUN", "run"),
        // The beginning of a word counts for more than another word of the same length.
        ("--sett", "--setting"), ("--sand", "--sandbox"), ("--see", "--seed"),
    ])
    func `the nearest word is meant, or the one that begins so`(word: String, meant: String) {
        let known = ["run", "mock", "--seed", "--state", "--setting", "--sandbox", "BadDeviceToken"]
        #expect(Suggestion.nearest(to: word, among: known) == meant)
    }

    @Test(arguments: ["", "zz", "something", "--"]) func `nobody meant a word that is far from all`(word: String) {
        #expect(Suggestion.nearest(to: word, among: ["--seed", "--state", "mock"]) == nil)
    }
}
