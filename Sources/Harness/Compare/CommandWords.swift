// A command in one text, split into its words as a shell splits them: quotes and backslashes, and nothing else of a shell.

import Basics

enum CommandWords {
    /// Throws a usage `Failure` that names `option` where a quote is left open or there is no word.
    static func split(_ text: String, _ option: String) throws(Failure) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in text {
            if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if let open = quote {
                if character == open {
                    quote = nil
                } else if character == "\\", open == "\"" {
                    isEscaped = true
                } else {
                    word = (word ?? "") + String(character)
                }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == "\\" {
                isEscaped = true
                word = word ?? ""
            } else if character.isWhitespace {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        guard quote == nil, !isEscaped else {
            throw Failure(.usage, "a quote is left open in \(option): \(text)", hint: "close it, or escape it by a backslash")
        }
        if let word { words.append(word) }
        guard !words.isEmpty else {
            throw Failure(.usage, "\(option) names no command", hint: "such as \(option) './my-relay --port {{relay.port}}'")
        }
        return words
    }
}
