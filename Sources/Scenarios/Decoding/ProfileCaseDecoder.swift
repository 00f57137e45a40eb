// `cases` of a profile.

import YAML

struct ProfileCaseDecoder {
    let mistakes: Mistakes

    func cases(_ profile: Fields) -> [ProfileCase] {
        profile.entries("cases").compactMap { entry in
            checkName(entry)
            guard let fields = Fields(entry.value, .profileCase, mistakes), let question = fields.text("asks"),
                let path = fields.text("scenario")
            else { return nil }
            let folder = { (node: YAMLNode?) in FileFinder.folder(of: node?.place.file ?? "") }
            return ProfileCase(
                name: entry.key, question: question, path: joined(folder(fields.value("scenario")), path),
                exercises: fields.value("exercises") == nil ? [] : fields.texts("exercises"),
                profile: fields.text("profile").map { joined(folder(fields.value("profile")), $0) },
                place: entry.keyPlace.description)
        }
    }

    private func joined(_ folder: String, _ name: String) -> String {
        name.hasPrefix("/") ? name : FileFinder.joined(folder, name)
    }

    /// It names files and stands in tables.
    private func checkName(_ entry: YAMLEntry) {
        let isWord = entry.key.utf8.allSatisfy { 48...57 ~= $0 || 97...122 ~= $0 || $0 == 45 }
        if isWord, (1...64).contains(entry.key.utf8.count) { return }
        mistakes.add(
            "a case cannot be named `\(entry.key)`", hint: "lower-case letters, digits and hyphens, at most 64",
            at: entry.keyPlace)
    }
}
