// What a file may cost before it is refused.

package struct YAMLLimits: Sendable {
    /// Bytes of text.
    package var bytes: Int
    /// Nodes of the tree, each use of an alias counted with all that it stands for.
    package var nodes: Int
    /// Lists and mappings within one another.
    package var depth: Int

    package init(bytes: Int = 1 << 20, nodes: Int = 50_000, depth: Int = 32) {
        self.bytes = bytes
        self.nodes = nodes
        self.depth = depth
    }
}
