// Which tokens a relay held when, as its tables said at each look.

package import Basics
package import Metrics
package import Pushes

package struct HeldTokens: Sendable {
    package struct Look: Hashable, Sendable {
        package var began: Instant
        package var ended: Instant
        /// Of its note in the journal.
        package var id: UInt64
    }

    private struct Span: Hashable, Sendable {
        var role: Lane.Role
        /// From that look on, until before the other.
        var looks: Range<Int>
    }

    /// In order of time.
    package private(set) var looks: [Look] = []
    /// Tables that were asked.
    package private(set) var roles: Set<Lane.Role> = []
    private var spans: [TokenHash: [Span]] = [:]

    package init() {}

    package mutating func look(
        began: Instant, ended: Instant, id: UInt64, roles: [Lane.Role], added: [(Lane.Role, TokenHash)],
        removed: [(Lane.Role, TokenHash)]
    ) {
        let number = looks.count
        looks.append(Look(began: began, ended: ended, id: id))
        self.roles.formUnion(roles)
        for (role, token) in removed {
            let open = spans[token]?.lastIndex { $0.role == role && $0.looks.upperBound == .max }
            guard let index = open else { continue }
            spans[token]![index].looks = spans[token]![index].looks.lowerBound..<number
        }
        for (role, token) in added { spans[token, default: []].append(Span(role: role, looks: number..<Int.max)) }
    }

    package func holds(_ token: TokenHash, as role: Lane.Role, at look: Int) -> Bool {
        spans[token]?.contains { $0.role == role && $0.looks.contains(look) } ?? false
    }
}
