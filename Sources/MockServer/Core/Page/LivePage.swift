// GET /: the page that shows what the mock is doing and steers it. It asks this API only.

import Net

enum LivePage {
    /// Made once.
    static let page = OwnPage(
        title: "PushRig mock", attributes: hasPhones ? " data-phones" : "", style: baseStyle + sectionStyle + cardStyle,
        markup: markup,
        script: "(() => {\n'use strict'\n" + coreScript + phoneScript + cardScript + pushScript + steeringScript + streamScript
            + "})()\n")

    /// Whether the API has phones as objects, so that the page need not ask in vain.
    private static let hasPhones = AdminRoute(["v1", "phones"]) != nil
}
