import Basics
import Testing

@Suite("A text in a text")
struct TextSearchTests {
    @Test("is found where it stands first, also behind its own beginning", arguments: [
        ("aab", "ab", 1), ("abcabd", "abd", 3), ("{{x}}", "}}", 3), ("äöü", "ü", 4), ("x", "x", 0),
    ])
    func found(text: String, words: String, place: Int) throws {
        let range = try #require(text.firstRange(of: words))
        #expect(text.utf8.distance(from: text.startIndex, to: range.lowerBound) == place)
        #expect(text[range] == words && text.contains(words) && text[...].contains(words))
    }

    @Test("is not found where it does not stand", arguments: [("aab", "abb"), ("ab", "abc"), ("", "a"), ("a", "A")])
    func absent(text: String, words: String) { #expect(text.firstRange(of: words) == nil && !text.contains(words)) }

    @Test("nothing stands nowhere, and is in each text")
    func nothing() { #expect("a".firstRange(of: "") == nil && "a".contains("") && "".contains("")) }

    @Test("is replaced in each place, or in the first few")
    func replaced() {
        #expect("a-b-c".replacing("-", with: "--") == "a--b--c" && "a-b-c".replacing("-", with: "", maxReplacements: 1) == "ab-c")
        #expect("abc".replacing("x", with: "y") == "abc" && "abc".replacing("", with: "y") == "abc")
    }
}
