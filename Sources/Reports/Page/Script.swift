// The page's only script, Sources/CFiles/report/hover.js: shows the figures under the pointer. Nothing else needs it.

import Basics

enum Script {
    /// What the page's policy lets run: this script and no other.
    static let digest = "sha256-5qoXPh4kUvhN+o6gJsPuLZ+TD80SGn5N/wQEUrAZXWM="

    static let text = compiledFile("report/hover.js")
}
