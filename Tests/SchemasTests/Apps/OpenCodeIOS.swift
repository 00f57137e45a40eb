// opencode-ios (claims R2), whose type has the name of another system's.

import Foundation

enum OpenCodeIOS {
    @available(iOS 16.1, *)
    struct SessionActivityAttributes: ActivityAttributes {
        public struct ContentState: Codable, Hashable {
            var status: String
            var progress: Double  // 0...1
            var currentFile: String?
            var operationCount: Int
            var statusEmoji: String
        }

        var sessionID: String
        var sessionType: String
        var startTime: Date

        static let preview = SessionActivityAttributes(sessionID: "{", sessionType: "Coding Session", startTime: .now)
    }
}
