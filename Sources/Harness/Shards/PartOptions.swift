// What a run was told that is one shard of several.

package import Basics

/// How a shard meets the others, and where their mocks are.
package struct PartOptions: Sendable {
    package var place: ShardPlace
    /// `--barrier`: a shared folder, or the admin API of a mock; nil: none.
    package var barrier: String?
    /// How long it waits there for the others.
    package var patience = Self.usualPatience
    /// Admin APIs of mocks elsewhere that all shards share; empty: each has one of its own.
    package var mocks: [String] = []

    package static let usualPatience = Interval.seconds(120)

    package init(_ place: ShardPlace) { self.place = place }

    /// Whether a word names an admin API rather than a folder.
    package static func isAddress(_ word: String) -> Bool { word.hasPrefix("http://") || word.hasPrefix("https://") }
}
