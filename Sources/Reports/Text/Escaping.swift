// Makes foreign text harmless in each language we write: HTML, XML, Markdown, a terminal.

package enum Escaping {
    /// For element content and for attribute values in double quotes, in HTML and in SVG.
    static func html(_ text: String) -> String {
        var safe = ""
        safe.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": safe += "&amp;"
            case "<": safe += "&lt;"
            case ">": safe += "&gt;"
            case "\"": safe += "&quot;"
            case "'": safe += "&#39;"
            default: safe.unicodeScalars.append(isXML(scalar) ? scalar : "\u{FFFD}")
            }
        }
        return safe
    }

    /// For XML 1.0: as `html`, and line ends in attributes are kept by character references.
    static func xmlAttribute(_ text: String) -> String {
        var safe = ""
        for scalar in html(text).unicodeScalars {
            switch scalar {
            case "\n": safe += "&#10;"
            case "\r": safe += "&#13;"
            case "\t": safe += "&#9;"
            default: safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    /// One line of GitHub-flavoured Markdown, fit for a table cell: nothing in it acts as markup.
    static func markdown(_ text: String) -> String {
        var safe = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": safe += "&amp;"
            case "<": safe += "&lt;"
            case ">": safe += "&gt;"
            case "\n", "\r", "\t": safe += " "
            case "\\", "`", "*", "_", "[", "]", "|", "#", "~", "!":
                safe += "\\"
                safe.unicodeScalars.append(scalar)
            case "@":
                // Keeps GitHub from calling people by their names.
                safe += "@\u{2060}"
            default: safe.unicodeScalars.append(isXML(scalar) ? scalar : "\u{FFFD}")
            }
        }
        return safe
    }

    /// A fenced block whose fence is longer than any run of backticks in the text.
    static func markdownBlock(_ text: String, language: String = "") -> String {
        var longest = 0
        var current = 0
        for scalar in text.unicodeScalars {
            current = scalar == "`" ? current + 1 : 0
            longest = max(longest, current)
        }
        let fence = String(repeating: "`", count: max(3, longest + 1))
        return "\(fence)\(language)\n\(text)\n\(fence)\n"
    }

    /// One line for a terminal: control characters, escape sequences among them, become visible, and so do those that
    /// turn the direction of what follows.
    package static func terminal(_ text: String) -> String {
        var safe = ""
        for scalar in text.unicodeScalars {
            let isHarmful = scalar.value < 32 || (127..<160).contains(scalar.value) || turnsDirection(scalar)
            safe.unicodeScalars.append(scalar == "\n" || scalar == "\t" ? " " : (isHarmful ? "\u{FFFD}" : scalar))
        }
        return safe
    }

    /// Marks that reorder text for the eye (Unicode Standard Annex 9), and those that end a line without being one.
    private static func turnsDirection(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether XML 1.0 §2.2 allows the character, and a reader sees what it does.
    private static func isXML(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 9, 10, 13: true
        case ..<32, 127..<133, 134..<160, 0xFFFE, 0xFFFF: false
        default: !turnsDirection(scalar)
        }
    }
}
