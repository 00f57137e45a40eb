// The page's only script, `Web/hover.js`: shows the figures under the pointer. Without it nothing is missing but comfort.

enum Script {
    /// What the page's policy lets run: this script and no other.
    static let digest = "sha256-5qoXPh4kUvhN+o6gJsPuLZ+TD80SGn5N/wQEUrAZXWM="

    static let text = String(decoding: PackageResources.hover_js, as: UTF8.self)
}
