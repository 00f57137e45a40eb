// A page that a server of ours shows: one file without a build step, which may ask that server and nobody else.

import Basics
import TLS

/// All that comes from outside is put in as text: the policy lets no other script or style run, and no string become markup.
package struct OwnPage: Sendable {
    /// HTML.
    package let text: String
    /// The Content-Security-Policy that goes with it.
    package let policy: String

    /// `markup` begins with the body's tag; `attributes` are of the root, each with a space before it.
    package init(title: String, attributes: String = "", style: String, markup: String, script: String) {
        text = """
            <!doctype html>
            <html lang="en"\(attributes)>
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width,initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title)</title>
            <link rel="icon" href="data:,">
            <style>\(style)</style>
            </head>
            \(markup)<script>\(script)</script>
            </body>
            </html>

            """
        policy = [
            "default-src 'none'", "connect-src 'self'", "img-src data:", "script-src '\(Self.digest(of: script))'",
            "style-src '\(Self.digest(of: style))'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
            "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
    }

    private static func digest(of text: String) -> String {
        let bytes = Array(text.utf8)
        return "sha256-" + Base64.encode(sha256(bytes.span).span)
    }
}
