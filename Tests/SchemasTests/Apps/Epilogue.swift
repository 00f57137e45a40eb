// Epilogue (claims R4).

import Foundation

enum Epilogue {
    public struct AmbientActivityAttributes: ActivityAttributes {
        public struct ContentState: Codable, Hashable {
            var bookTitle: String?
            var sessionDuration: TimeInterval
            var capturedCount: Int
            var isListening: Bool
            var lastTranscript: String
            var pagesRead: Int = 0
            var coverAccentHex: String?
            var nudgeMessage: String?, nudgeIcon: String?

            var hasNudge: Bool { nudgeMessage != nil }
        }

        var startTime: Date
        var coverImagePath: String?
        var orbImagePath: String?
    }
}
