// The page's style sheet, from the files in `Web`.

enum Style {
    static let sheet = text([
        PackageResources.base_css, PackageResources.components_css, PackageResources.drawings_css, PackageResources.cards_css,
    ])
    /// Beside it, for the page of a check.
    static let check = text([PackageResources.check_css])

    private static func text(_ files: [[UInt8]]) -> String { files.map { String(decoding: $0, as: UTF8.self) }.joined() }
}
