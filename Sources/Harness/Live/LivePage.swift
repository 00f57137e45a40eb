// The page of a run that goes on: it asks the run's own `/state` once a second. Its parts are files in Sources/CFiles/run.

import Basics
import Net

enum LivePage {
    /// Made once.
    static let page = OwnPage(
        title: "PushRig run", style: compiledFile("run/run.css"),
        markup: compiledFile("run/run.html"),
        script: compiledFile("run/run.js"))
    static let bytes = Array(page.text.utf8)
}
