// A page of ours around its content: one file that loads nothing.

import Verdicts

struct HTMLDocument {
    var title: String
    /// PushRig's.
    var version: String
    /// Beside the style of all pages.
    var style = ""
    var body: Markup

    var text: String {
        let page: Markup = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; \
            style-src 'unsafe-inline'; script-src '\(Script.digest)'; base-uri 'none'; form-action 'none'">
            <meta name="viewport" content="width=device-width,initial-scale=1">
            <meta name="generator" content="PushRig \(version)">
            <title>\(title)</title>
            <link rel="icon" href="data:,">
            <style>\(Markup(trusted: Style.sheet + style))</style>
            </head>
            <body>
            <main>
            \(body)</main>
            <script>\(Markup(trusted: Script.text))</script>
            </body>
            </html>

            """
        return page.text
    }
}
