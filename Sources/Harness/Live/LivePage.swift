// The page of a run that goes on: it asks the run's own `/state` once a second. Its parts are files in `Web`.

import Net

enum LivePage {
    /// Made once.
    static let page = OwnPage(
        title: "PushRig run", style: String(decoding: PackageResources.run_css, as: UTF8.self),
        markup: String(decoding: PackageResources.run_html, as: UTF8.self),
        script: String(decoding: PackageResources.run_js, as: UTF8.self))
    static let bytes = Array(page.text.utf8)
}
