// A topic is a bundle ID and, for most push types, a suffix (docs/apns.md §4).

import Basics
package import Pushes

/// Where a topic's bundle ID ends and which push type its suffix belongs to.
package struct TopicParts: Sendable, Equatable {
    /// Bytes of the bundle ID, from the start.
    package var bundleCount: Int
    /// The one push type that has this suffix; nil when the topic is bare.
    package var suffixType: PushType?

    package init(_ topic: Span<UInt8>) {
        bundleCount = topic.count
        guard let candidate = Self.candidate(topic), topic.ends(with: candidate.topicSuffix) else { return }
        suffixType = candidate
        bundleCount -= candidate.topicSuffix.utf8CodeUnitCount
    }

    /// What a push with this topic is: `given` in its field, else what the suffix says, else an alert.
    package func type(given: PushType?) -> PushType { given ?? suffixType ?? .alert }

    /// The last two letters leave one suffix at most.
    private static func candidate(_ topic: Span<UInt8>) -> PushType? {
        guard topic.count > 4 else { return nil }
        switch (topic[topic.count - 2], topic[topic.count - 1]) {
        case (111, 110): return .complication  // on
        case (105, 112): return .voip  // ip
        case (116, 116): return .pushtotalk  // tt
        case (114, 121): return .location  // ry
        case (116, 121): return .liveactivity  // ty
        case (101, 114): return .fileprovider  // er
        case (108, 115): return .controls  // ls
        case (116, 115): return .widgets  // ts
        default: return nil
        }
    }

    /// Letters, digits, hyphens and single dots between them, at most 255 bytes. Apple allows no other characters in a
    /// bundle ID; the underscore is taken all the same, since one of them in a test's name proves nothing.
    package static func isBundleID(_ text: Span<UInt8>) -> Bool {
        guard 1...255 ~= text.count else { return false }
        return text.withUnsafeBufferPointer { bytes in
            var previous: UInt8 = 46
            for byte in bytes {
                guard byte < 128, (byte < 64 ? lowCharacters : highCharacters) >> UInt64(byte & 63) & 1 == 1,
                    byte != 46 || previous != 46
                else { return false }
                previous = byte
            }
            return previous != 46
        }
    }

    /// A bundle ID without the suffix of a push type: what an app is called.
    package static func isBareBundleID(_ text: String) -> Bool {
        withBytes(of: text) { isBundleID($0) && TopicParts($0).suffixType == nil }
    }

    /// One bit for each allowed byte: hyphen, dot and digits; letters and underscore.
    private static let lowCharacters: UInt64 = 0x03FF_6000_0000_0000
    private static let highCharacters: UInt64 = 0x07FF_FFFE_87FF_FFFE
}
