// GET /: one page, without a build step and without network, that shows what the mock is doing and steers it. It asks
// this API only. All that comes from outside is put in as text; the policy lets no other script or style run, and no
// string become markup.

import Basics
import TLS

enum LivePage {
    /// The page as it is sent; made once.
    static let text = """
        <!doctype html>
        <html lang="en"\(hasPhones ? " data-phones" : "")>
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width,initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>PushRig mock</title>
        <link rel="icon" href="data:,">
        <style>\(style)</style>
        </head>
        \(markup)<script>\(script)</script>
        </body>
        </html>

        """

    /// Whether the API has phones as objects, so that the page need not ask in vain.
    private static let hasPhones = AdminRoute(["v1", "phones"]) != nil

    /// The Content-Security-Policy that goes with it.
    static let policy = [
        "default-src 'none'", "connect-src 'self'", "img-src data:", "script-src '\(digest(of: script))'",
        "style-src '\(digest(of: style))'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    private static let style = baseStyle + sectionStyle + cardStyle
    private static let script =
        "(() => {\n'use strict'\n" + coreScript + phoneScript + cardScript + pushScript + steeringScript + streamScript
        + "})()\n"

    private static func digest(of text: String) -> String {
        let bytes = Array(text.utf8)
        return "sha256-" + Base64.encode(sha256(bytes.span).span)
    }
}
