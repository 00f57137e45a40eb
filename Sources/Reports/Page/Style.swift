// The page's style sheet, from files in Sources/CFiles/report.

import Basics

enum Style {
    static let sheet = ["base", "components", "drawings", "cards"].map { compiledFile("report/\($0).css") }.joined()
    /// Beside it, for the page of a check.
    static let check = compiledFile("report/check.css")
}
