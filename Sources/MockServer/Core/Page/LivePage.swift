// GET /: the page that shows what the mock is doing and steers it. It asks this API only. Its parts are files in `Web`.

import Net

enum LivePage {
    /// Made once.
    static let page = OwnPage(
        title: "PushRig mock", attributes: hasPhones ? " data-phones" : "",
        style: text([PackageResources.base_css, PackageResources.sections_css, PackageResources.cards_css]),
        markup: text([PackageResources.mock_html]),
        script: "(() => {\n'use strict'\n"
            + text([
                PackageResources.core_js, PackageResources.phones_js, PackageResources.cards_js, PackageResources.pushes_js,
                PackageResources.steering_js, PackageResources.stream_js,
            ]) + "})()\n")

    private static func text(_ files: [[UInt8]]) -> String { files.map { String(decoding: $0, as: UTF8.self) }.joined() }

    /// Whether the API has phones as objects, so that the page need not ask in vain.
    private static let hasPhones = AdminRoute(["v1", "phones"]) != nil
}
