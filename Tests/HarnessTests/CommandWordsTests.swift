import Basics
import Testing

@testable import Harness

@Suite("a command in one text")
struct CommandWordsTests {
    @Test("is split as a shell splits it", arguments: [
        ("a b  c", ["a", "b", "c"]), (" a ", ["a"]), ("'a b' c", ["a b", "c"]), (#""a \"b\"" c\ d"#, ["a \"b\"", "c d"]),
        ("a'b c'd", ["ab cd"]), ("a ''", ["a", ""]),
        ("{{pushrig}} --listen {{relay.listen}}", ["{{pushrig}}", "--listen", "{{relay.listen}}"]),
        (#"'a\b'"#, [#"a\b"#]),
    ] as [(String, [String])])
    func split(text: String, words: [String]) throws {
        #expect(try CommandWords.split(text, "--new") == words)
    }

    @Test("that is open or empty is refused, by the option's name", arguments: ["'a", "\"a", "a\\", "", "  "])
    func refused(text: String) {
        let failure = #expect(throws: Failure.self) { try CommandWords.split(text, "--new") }
        #expect(failure?.kind == .usage && failure?.message.contains("--new") == true)
    }
}
