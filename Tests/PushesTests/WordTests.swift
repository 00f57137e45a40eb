// The words of pushes: each once, with a number that journal files hold.

import Basics
import Pushes
import Testing

@Suite struct WordTests {
    private func numbers<Word: PushWord>(_ type: Word.Type) -> [String] {
        Word.allCases.map { "\($0.rawValue) \($0.word)" }
    }

    @Test func `numbers in journal files never change`() {
        #expect(numbers(Provider.self) == ["0 apns", "1 fcm"])
        #expect(numbers(PushEnvironment.self) == ["0 production", "1 sandbox"])
        #expect(numbers(ActivityEvent.self) == ["1 start", "2 update", "3 end"])
        #expect(
            numbers(PhoneEvent.Kind.self) == ["1 started", "2 token", "3 rotated", "4 ended", "5 dismissed"])
        #expect(
            numbers(PushType.self) == [
                "0 alert", "1 background", "2 voip", "3 complication", "4 fileprovider", "5 mdm", "6 location",
                "7 liveactivity", "8 pushtotalk", "9 controls", "10 widgets",
            ])
        #expect(
            numbers(Outcome.self) == [
                "1 shown", "2 started", "3 updated", "4 ended", "5 ignored-older", "6 ignored-ended",
                "7 ignored-future", "8 undecodable", "9 unknown-activity", "10 silent", "11 nothing-shown",
                "12 handed-over", "13 not-delivered", "14 stored", "15 discarded", "16 superseded", "17 expired",
                "18 replaced", "19 throttled", "20 not-started", "21 never-shown", "22 coalesced", "23 set-back", "24 reloaded",
            ])
    }

    /// Words that could stand for one another would be told apart by nobody.
    @Test func `a word is read back as what it is`() {
        func check<Word: PushWord>(_ type: Word.Type) {
            for word in Word.allCases { #expect(Word(word: word.word.description) == word) }
            for text in Word.words { #expect(Word(word: text.uppercased()) == nil) }
            #expect(Word(word: "") == nil && Word(word: "x") == nil)
            #expect(Set(Word.words).count == Word.allCases.count)
        }
        check(Provider.self)
        check(PushEnvironment.self)
        check(ActivityEvent.self)
        check(PhoneEvent.Kind.self)
        check(PushType.self)
        check(Outcome.self)
    }

    @Test func `a push type is read from its bytes, in lower case alone`() {
        for type in PushType.allCases {
            let word = type.word.description
            #expect(withBytes(of: word) { PushType($0) } == type)
            for text in [word.uppercased(), word + " ", String(word.dropLast()), word + "x"] {
                #expect(withBytes(of: text) { PushType($0) } == nil, "\(text)")
            }
        }
        #expect(withBytes(of: "") { PushType($0) } == nil)
    }

    @Test func `an absent or unknown push type is judged as an alert`() {
        #expect(PushType(declared: nil) == .alert)
        #expect(PushType(declared: "LiveActivity") == .alert)
        #expect(PushType(declared: "liveactivity") == .liveactivity)
    }

    @Test func `every outcome has a sentence and room in a table`() {
        for outcome in Outcome.allCases {
            #expect(Int(outcome.rawValue) < Outcome.tableSize)
            #expect(outcome.explanation.hasSuffix("."))
        }
        #expect(Set(Outcome.allCases.map(\.explanation)).count == Outcome.allCases.count)
    }

    @Test func `what a user sees is told from what only reached the phone`() {
        #expect(
            Outcome.allCases.filter(\.changedScreen) == [.shown, .started, .updated, .ended, .replaced, .coalesced, .setBack, .reloaded])
    }
}
