// GET /: the page that shows what the mock is doing and steers it. It asks this API only. Its parts: Sources/CFiles/mock.

import Basics
import Net

enum LivePage {
    /// Made once.
    static let page = OwnPage(
        title: "PushRig mock", attributes: hasPhones ? " data-phones" : "",
        style: text(["base.css", "sections.css", "cards.css"]),
        markup: text(["mock.html"]),
        script: "(() => {\n'use strict'\n"
            + text(["core.js", "phones.js", "cards.js", "pushes.js", "steering.js", "stream.js"]) + "})()\n")

    private static func text(_ files: [String]) -> String { files.map { compiledFile("mock/\($0)") }.joined() }

    /// Whether the API has phones as objects, so that the page need not ask in vain.
    private static let hasPhones = AdminRoute(["v1", "phones"]) != nil
}
