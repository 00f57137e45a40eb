// A topic is a bundle ID and, for most push types, a suffix (spec/apns.md §4).

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
    static func isBundleID(_ text: Span<UInt8>) -> Bool {
        guard 1...255 ~= text.count else { return false }
        var previous: UInt8 = 46
        for index in text.indices {
            let byte = text[index]
            switch byte {
            case 48...57, 65...90, 97...122, 45, 95: break
            case 46: if previous == 46 { return false }
            default: return false
            }
            previous = byte
        }
        return previous != 46
    }
}
