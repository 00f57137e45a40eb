// A server as RFC 9113 and RFC 7541 want it, over TLS sockets: a connection of its own for each case.

import Testing

@Suite("HTTP/2 as the RFCs want it")
struct ConformanceTests {
    @Test("RFC 9113 §3 §4: preface, frames, sizes", arguments: frameCases)
    func frames(_ one: ConformanceCase) throws { try one.judge() }

    @Test("RFC 9113 §5: streams", arguments: streamCases)
    func streams(_ one: ConformanceCase) throws { try one.judge() }

    @Test("RFC 9113 §6: each frame type", arguments: definitionCases)
    func definitions(_ one: ConformanceCase) throws { try one.judge() }

    @Test("RFC 9113 §6.9: flow control", arguments: flowCases)
    func flow(_ one: ConformanceCase) throws { try one.judge() }

    @Test("RFC 9113 §6.10: CONTINUATION", arguments: continuationCases)
    func continuation(_ one: ConformanceCase) throws { try one.judge() }

    @Test("RFC 9113 §8: messages", arguments: messageCases)
    func messages(_ one: ConformanceCase) throws { try one.judge() }

    @Test("RFC 7541: HPACK", arguments: compressionCases)
    func compression(_ one: ConformanceCase) throws { try one.judge() }

    @Test("names each case once, and there are about as many as the RFCs have rules")
    func catalogue() {
        let lists = [
            frameCases, streamCases, definitionCases, flowCases, continuationCases, messageCases, compressionCases,
        ]
        let all = lists.flatMap { $0 }
        #expect(Set(all.map(\.testDescription)).count == all.count)
        #expect(all.count >= 140)
    }
}
