// A call as a person makes it: a line of curl, read as curl reads it, as far as it says what is sent.

import Basics

/// What one line of curl sends.
struct CurlCall {
    var method: String
    var url: String
    /// In the order of the line; names as written.
    var headers: [(name: String, value: String)] = []
    /// Nil: none.
    var body: String?
    /// The line as it was given.
    var line: String

    /// With a value that says nothing of the request.
    private static let passed: Set<String> = [
        "-o", "--output", "-w", "--write-out", "-m", "--max-time", "--connect-timeout", "--retry", "--retry-delay", "--cacert",
        "-D", "--dump-header",
    ]
    private static let flags: Set<String> = [
        "-s", "--silent", "-S", "--show-error", "-f", "--fail", "--fail-with-body", "-k", "--insecure", "-i", "--include", "-v",
        "--verbose", "-L", "--location", "-g", "--globoff", "-N", "--no-buffer", "-#", "--progress-bar", "-4", "-6",
        "--http1.1", "--compressed", "--no-progress-meter",
    ]
    private static let data: Set<String> = ["-d", "--data", "--data-ascii", "--data-raw", "--data-binary"]

    /// One that was seen, and not written as a line.
    init(method: String, url: String, headers: [(name: String, value: String)], body: String?) {
        (self.method, self.url, self.headers, self.body, line) = (method, url, headers, body, "")
    }

    /// Throws a usage failure that names the word which is not read.
    init(_ line: String) throws(Failure) {
        var words = try Self.words(of: line)[...]
        if words.first == "curl" {
            words.removeFirst()
        } else if words.count > 1, let first = words.first, !first.hasPrefix("-"), !first.contains("/") {
            throw Self.wrong("`\(first)` is not read", line, hint: "write it as a line of curl")
        }
        self.line = line
        (method, url) = ("", "")
        var (parts, isQuery): ([String], Bool) = ([], false)
        while var word = words.popFirst() {
            // -sSf, -XPOST, --header=…
            var attached: String?
            if word.hasPrefix("--"), let equals = word.firstIndex(of: "=") {
                (word, attached) = (String(word[..<equals]), String(word[word.index(after: equals)...]))
            } else if word.hasPrefix("-"), !word.hasPrefix("--"), word.count > 2 {
                let rest = word.dropFirst(2)
                word = String(word.prefix(2))
                if Self.flags.contains(word) { words.insert("-" + rest, at: words.startIndex) } else { attached = String(rest) }
            }
            if Self.flags.contains(word) { continue }
            func value() throws(Failure) -> String {
                guard let value = attached ?? words.popFirst() else { throw Self.wrong("`\(word)` has no value", line) }
                return value
            }
            switch word {
            case "-X", "--request": method = try value()
            case "--url": url = try value()
            case "-H", "--header":
                let field = try value()
                guard let colon = field.firstIndex(of: ":") else { throw Self.wrong("`\(field)` is no header", line) }
                headers.append((String(field[..<colon]), Self.trimmed(field[field.index(after: colon)...])))
            case "-A", "--user-agent": headers.append(("user-agent", try value()))
            case "-e", "--referer": headers.append(("referer", try value()))
            case "-b", "--cookie": headers.append(("cookie", try value()))
            case "-u", "--user":
                let pair = try value()
                headers.append(("authorization", "Basic " + withBytes(of: pair) { Base64.encode($0) }))
            case "--json":
                parts.append(try value())
                for name in ["content-type", "accept"] where !has(name) { headers.append((name, "application/json")) }
            case _ where Self.data.contains(word):
                let text = try value()
                if text.hasPrefix("@"), word != "--data-raw" {
                    throw Self.wrong("a body from a file is not read: `\(text)`", line, hint: "write the body itself")
                }
                parts.append(text)
            case "--data-urlencode":
                let text = try value()
                guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                    throw Self.wrong("`\(text)` is not read", line, hint: "write it as name=text")
                }
                parts.append(text[...equals] + FormText.encoded(text[text.index(after: equals)...]))
            case "-G", "--get": isQuery = true
            case _ where Self.passed.contains(word): _ = try value()
            case _ where word.hasPrefix("-") && word.count > 1:
                throw Self.wrong(
                    "`\(word)` of curl is not read", line, hint: "leave it out, or write a profile: docs/adding-a-relay.md")
            case "|", ";", "&&", "||", "&", ">", "2>&1":
                throw Self.wrong("one request is read, and `\(word)` is the shell's", line, hint: "leave out the rest")
            default:
                guard url.isEmpty else { throw Self.wrong("there are two addresses, `\(url)` and `\(word)`", line) }
                url = word
            }
        }
        guard !url.isEmpty else {
            throw Self.wrong(
                "there is no address", line, hint: "such as --call 'curl -d \"{{text}}\" http://127.0.0.1:8787/send/{{token}}'")
        }
        if !url.hasPrefix("http://"), !url.hasPrefix("https://") { url = "http://" + url }
        let authority = origin.split(separator: "/").last ?? ""
        if let at = authority.firstIndex(of: "@") {
            headers.append(("authorization", "Basic " + withBytes(of: String(authority[..<at])) { Base64.encode($0) }))
            url = url.replacing(String(authority[...at]), with: "", maxReplacements: 1)
        }
        let joined = parts.joined(separator: "&")
        if isQuery {
            if !parts.isEmpty { url += (url.contains("?") ? "&" : "?") + joined }
        } else if !parts.isEmpty {
            body = joined
            if !has("content-type") { headers.append(("content-type", "application/x-www-form-urlencoded")) }
        }
        if method.isEmpty { method = body == nil ? "GET" : "POST" }
    }

    private func has(_ name: String) -> Bool { headers.contains { $0.name.lowercased() == name } }

    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }

    /// All that has words of ours.
    var said: String { url + (body ?? "") + headers.map(\.value).joined(separator: " ") }

    /// Where the relay is: scheme, host and port.
    var origin: String {
        let start = url.index(url.startIndex, offsetBy: url.hasPrefix("https://") ? 8 : 7)
        return String(url[..<(url[start...].firstIndex { $0 == "/" || $0 == "?" } ?? url.endIndex)])
    }

    /// Path and query; at least a slash.
    var path: String {
        let rest = url.dropFirst(origin.count).prefix { $0 != "#" }
        return rest.hasPrefix("/") ? String(rest) : "/" + rest
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        String(text.drop { $0 == " " || $0 == "\t" })
    }

    private static func wrong(_ words: String, _ line: String, hint: String = "write it as for a shell") -> Failure {
        Failure(.usage, "--call '\(line.prefix(60))': \(words)", hint: hint)
    }

    /// The words of a line as a POSIX shell splits them: quotes, backslashes and continued lines; no variables.
    static func words(of line: String) throws(Failure) -> [String] {
        var (words, word): ([String], String?) = ([], nil)
        // `$` stands for $'…', as bash has it and browsers copy it.
        var quote: Character?
        var rest = Substring(line)
        while let letter = rest.popFirst() {
            switch (quote, letter) {
            case ("'", "'"), ("\"", "\""), ("$", "'"): quote = nil
            case ("$", "\\"):
                let plain: [Character: String] = ["n": "\n", "t": "\t", "r": "\r"]
                guard let next = rest.popFirst() else { break }
                word = (word ?? "") + (plain[next] ?? (["'", "\"", "\\"].contains(next) ? "" : "\\") + String(next))
            case ("$", _): word = (word ?? "") + String(letter)
            case (nil, "$") where rest.first == "'":
                rest.removeFirst()
                quote = "$"
                word = word ?? ""
            case ("'", _): word = (word ?? "") + String(letter)
            case ("\"", "\\"):
                guard let next = rest.popFirst() else { break }
                word = (word ?? "") + (["\"", "\\", "$", "`"].contains(next) ? "" : "\\") + String(next)
            case (nil, "\\"):
                guard let next = rest.popFirst(), !next.isNewline else { break }
                word = (word ?? "") + String(next)
            case (nil, "'"), (nil, "\""):
                quote = letter
                word = word ?? ""
            case (nil, _) where letter.isWhitespace:
                if let whole = word { words.append(whole) }
                word = nil
            default: word = (word ?? "") + String(letter)
            }
        }
        if let quote { throw wrong("a quote \(quote == "$" ? "'" : quote) is not closed", line) }
        if let word { words.append(word) }
        return words
    }
}
