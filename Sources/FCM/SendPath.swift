// Paths of FCM and the forms of what stands in them and in a target (docs/fcm.md §1, §2, §5).

import Basics

package enum SendPath {
    /// Google's have 30 characters at most.
    package static let longestProject = 64

    /// The project's place in `/v1/projects/{project}/messages:send`, with a query or without; nil: it is another path. The
    /// colon may be percent-encoded.
    package static func project(_ path: Span<UInt8>) -> Range<Int>? {
        let prefix: StaticString = "/v1/projects/"
        guard path.hasPrefix(prefix) else { return nil }
        let start = prefix.utf8CodeUnitCount
        var end = start
        while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
        guard 1...longestProject ~= end - start, end < path.count else { return nil }
        var rest = end
        while rest < path.count, path[rest] != UInt8(ascii: "?") { rest += 1 }
        let method = path.extracting(end..<rest)
        let isSend = method.equals("/messages:send") || method.equals("/messages%3Asend") || method.equals("/messages%3asend")
        return isSend ? start..<end : nil
    }
}

package enum RegistrationForm {
    static let longest = 4_096

    /// Instance, one colon, and the rest in the alphabet safe in URLs: FCM's exact check is not known (§5).
    package static func isToken(_ text: Span<UInt8>) -> Bool {
        guard text.count <= longest else { return false }
        var colon = -1
        for index in text.indices {
            if text[index] == UInt8(ascii: ":"), colon < 0 {
                colon = index
            } else if !isURLSafe(text[index]) {
                return false
            }
        }
        return colon > 0 && colon < text.count - 1
    }

    /// A Firebase Installation ID: 22 characters, the first of them c, d, e or f.
    package static func isInstallation(_ text: Span<UInt8>) -> Bool {
        guard text.count == 22, UInt8(ascii: "c")...UInt8(ascii: "f") ~= text[0] else { return false }
        for index in text.indices where !isURLSafe(text[index]) { return false }
        return true
    }

    private static func isURLSafe(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

package enum TopicForm {
    /// `[a-zA-Z0-9-_.~%]{1,900}`, also behind `private/`.
    package static func isName(_ text: Span<UInt8>) -> Bool {
        var start = 0
        if text.hasPrefix("private/") { start = 8 }
        guard 1...900 ~= text.count - start else { return false }
        for index in start..<text.count {
            switch text[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "~"), UInt8(ascii: "%"):
                continue
            default: return false
            }
        }
        return true
    }
}
