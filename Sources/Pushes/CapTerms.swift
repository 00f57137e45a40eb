// How many pushes a relay sends at most, as its profile says.

package import Basics

/// It sends so many pushes, and then only the end.
package struct CapTerms: Hashable, Sendable {
    /// 1 and more.
    package var most: Int
    /// Nil: of an activity's whole life.
    package var span: Interval?

    package init(most: Int, span: Interval?) {
        self.most = most
        self.span = span
    }
}
