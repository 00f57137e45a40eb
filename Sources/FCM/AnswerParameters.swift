// What a request's query says about the form of its answer (docs/fcm.md §1: Google's standard parameters).

import Basics

/// `fields`, `key` and `$.xgafv` are taken and change nothing.
package struct AnswerParameters: Hashable, Sendable {
    /// An `alt` that is not served.
    package private(set) var strangeForm: String?
    /// JSON without blanks and lines.
    package private(set) var isCompact = false

    /// Of a path with its query, if any.
    package init(path: Span<UInt8>) {
        guard let mark = path.firstIndex(of: UInt8(ascii: "?")), mark + 1 < path.count else { return }
        let query = QueryFields(path.extracting(mark + 1..<path.count).text)
        if let form = query["alt"] ?? query["$alt"], form != "json", !form.hasPrefix("json;") { strangeForm = form }
        isCompact = ["false", "0"].contains(query["prettyPrint"] ?? query["$prettyPrint"])
    }

    /// What is said of an `alt` that is not served, in the manner in which other parameters are refused.
    package var objection: FieldViolation? {
        strangeForm.map { form in
            FieldViolation(field: "alt", description: "Invalid value at 'alt' (TYPE_ENUM), \"\(form)\"")
        }
    }
}
