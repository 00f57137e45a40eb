// OpenCode's plan, variant A (docs/reference-relay.md).

import Foundation

enum OpenCodeA {
    struct SessionActivityAttributes: ActivityAttributes {
        public struct ContentState: Codable, Hashable {
            enum Status: String, Codable { case working, retry, permission, complete, error }

            var status: Status
            var sessionTitle: String
            /// At most about 120 characters.
            var lastMessage: String
            /// "Retry 2/5 in 8s"
            var retryInfo: String?
        }

        var sessionId: String
    }
}
