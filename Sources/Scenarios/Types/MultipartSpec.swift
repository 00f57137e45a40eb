// The frame of a multipart/form-data body (RFC 7578): a boundary that is the same for all calls of a profile.

import Basics

package struct MultipartSpec: Hashable, Sendable {
    /// Without the dashes in front of it.
    package var boundary: [UInt8]
    /// By part: left out when this is null; nil: it is always there.
    package var conditions: [TemplateVariable?]

    package init(boundary: [UInt8], conditions: [TemplateVariable?]) {
        self.boundary = boundary
        self.conditions = conditions
    }

    /// Of a profile's name: 24 characters that no text has by chance.
    package static func boundary(of profile: String) -> [UInt8] {
        var generator = Seed(7578).child("multipart").child(profile).generator()
        return Array(("pushrig-" + Hex.word(generator.next())).utf8)
    }

    /// Whether the body has the boundary where the frame has it, and nowhere else (RFC 2046 §5.1.1).
    package func frames(_ body: Span<UInt8>, _ values: some TemplateValues) -> Bool {
        let parts = conditions.count { $0.map { !values.isNull($0) } ?? true }
        return body.count(of: boundary) == parts + 1
    }
}

extension Span<UInt8> {
    /// How often `text` stands in it, without overlapping.
    package func count(of text: [UInt8]) -> Int {
        var (found, place) = (0, 0)
        while !text.isEmpty, place <= count - text.count {
            if holds(text, at: place) {
                found += 1
                place += text.count
            } else {
                place += 1
            }
        }
        return found
    }

    private func holds(_ text: [UInt8], at place: Int) -> Bool {
        for index in text.indices where self[place + index] != text[index] { return false }
        return true
    }
}
