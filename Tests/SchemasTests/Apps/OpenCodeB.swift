// What OpenCode's widget library decodes, variant B (docs/reference-relay.md): variant A's state is text to it.

import Foundation

enum OpenCodeB {
    struct LiveActivityAttributes: ActivityAttributes {
        typealias ContentState = WidgetState

        let url: String?
    }

    struct WidgetState: Codable, Hashable {
        /// The widget's name.
        var name: String
        var props: String?
    }
}
