// The key `feeders` of a workload: files of rows.

import Basics
import YAML

struct FeederDecoder {
    let files: FileFinder
    let mistakes: Mistakes

    func feeders(_ fields: Fields) -> ([FeederSpec], FeedColumns) {
        var feeders: [FeederSpec] = []
        let items = fields.items("feeders")
        for item in items {
            guard let feeder = feeder(item) else { continue }
            for (other, name) in feeders.lazy.flatMap({ other in other.rows.columns.map { (other, $0) } })
            where feeder.rows.columns.contains(name) {
                mistakes.add(
                    "both `\(other.file)` and `\(feeder.file)` have a column `\(name)`", hint: "rename one",
                    at: item["file"]?.place ?? item.place)
            }
            feeders.append(feeder)
        }
        return (feeders, feeders.count < items.count ? .unread : .known(feeders.flatMap(\.rows.columns)))
    }

    private func feeder(_ node: YAMLNode) -> FeederSpec? {
        guard let fields = Fields(node, .feeder, mistakes), let named = fields.value("file") else { return nil }
        let take: FeederSpec.Take? = fields.choice("take")
        let rows = files.data(named, key: "file", kind: "rows", example: "users.csv", mistakes, FeedReader.rows)
        guard let rows, case .scalar(let name, _) = named.content else { return nil }
        return FeederSpec(file: name, take: take ?? .inOrder, rows: rows, place: named.place.description)
    }
}
