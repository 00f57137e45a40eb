// Apple's extensions in a provider's certificate (docs/apns.md §9): how they are written and read.
//
//     …6.3.6   SEQUENCE { UTF8String topic, SEQUENCE { UTF8String kind }, UTF8String topic, … }
//     …6.3.4   VoIP topics; read are UTF8Strings, bare or within a SEQUENCE
//     …6.3.1   sandbox      …6.3.2   production: they mark by being there

/// One topic that a certificate speaks for, with its suffix.
package struct CertificateTopic: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable { case app, voip, complication }

    package var name: String
    /// Nil: a word that is none of ours.
    package var kind: Kind?

    package init(_ name: String, _ kind: Kind?) {
        self.name = name
        self.kind = kind
    }

    /// The kind that the suffix tells.
    package init(_ name: String) {
        self.init(name, name.hasSuffix(".voip") ? .voip : name.hasSuffix(".complication") ? .complication : .app)
    }
}

package enum CertificateExtensions {
    package static let topics = "1.2.840.113635.100.6.3.6"
    package static let voipTopics = "1.2.840.113635.100.6.3.4"
    package static let sandbox = "1.2.840.113635.100.6.3.1"
    package static let production = "1.2.840.113635.100.6.3.2"

    /// Topics read from one extension; a longer list is no certificate of Apple's.
    static let topicLimit = 128

    /// The content of …6.3.6.
    package static func encode(_ topics: [CertificateTopic]) -> [UInt8] {
        der(
            DERTag.sequence,
            topics.flatMap { topic in
                der(DERTag.utf8String, Array(topic.name.utf8))
                    + der(DERTag.sequence, der(DERTag.utf8String, Array((topic.kind?.rawValue ?? "other").utf8)))
            })
    }

    /// The content of a mark.
    package static let mark: [UInt8] = [DERTag.null, 0]

    /// Reads …6.3.6; nil when it is not of its form. A topic without a kind is an app's.
    package static func readTopics(_ content: [UInt8]) -> [CertificateTopic]? {
        var outer = DERReader(content)
        guard let list = outer.next(), list.tag == DERTag.sequence, outer.isAtEnd else { return nil }
        var reader = outer.inside(list)
        var topics: [CertificateTopic] = []
        while !reader.isAtEnd {
            guard let value = reader.next() else { return nil }
            switch value.tag {
            case DERTag.utf8String:
                guard topics.count < topicLimit, let name = text(reader.content(of: value)) else { return nil }
                topics.append(CertificateTopic(name, .app))
            case DERTag.sequence:
                var kinds = reader.inside(value)
                guard !topics.isEmpty, let kind = kinds.next(), kind.tag == DERTag.utf8String else { return nil }
                topics[topics.count - 1].kind = text(kinds.content(of: kind)).flatMap { .init(rawValue: $0) }
            default: return nil
            }
        }
        return topics
    }

    /// Reads …6.3.4; nil when there is no text in it. Its encoding is not recorded anywhere, so that both plausible
    /// ones are read, and a name is completed by the suffix.
    package static func readVoIPTopics(_ content: [UInt8]) -> [CertificateTopic]? {
        var reader = DERReader(content)
        if let first = reader.next(), first.tag == DERTag.sequence { reader = reader.inside(first) } else {
            reader = DERReader(content)
        }
        var topics: [CertificateTopic] = []
        while !reader.isAtEnd {
            guard let value = reader.next(), topics.count < topicLimit else { return nil }
            guard value.tag == DERTag.utf8String else { continue }
            guard let name = text(reader.content(of: value)) else { return nil }
            topics.append(CertificateTopic(name.hasSuffix(".voip") ? name : name + ".voip", .voip))
        }
        return topics.isEmpty ? nil : topics
    }

    /// Printable ASCII, 1 to 255 bytes; topics and kinds are nothing else.
    private static func text(_ bytes: [UInt8]) -> String? {
        guard 1...255 ~= bytes.count, bytes.allSatisfy({ 0x21...0x7E ~= $0 }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
