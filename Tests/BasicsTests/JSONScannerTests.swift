// The data path's scanner: what its nodes say, what it refuses, and that it keeps its promises under reuse.

import Basics
import Glibc
import Testing

struct JSONScannerTests {
    static let push = #"""
        {"aps": {"timestamp": 1760000000, "event": "update", "content-state": {"step": 7, "done": false, "text": null},
        "alert": {"title": "Gr\u00fc\u00dfe \ud83d\ude00", "body": "x\ny"}, "list": [1, -2.5e1, "a", true, [], {}]}}
        """#

    private func scan(_ text: String, _ scanner: JSONScanner = JSONScanner()) -> JSONScanError? {
        withBytes(of: text) { scanner.scan($0) }
    }

    @Test func theSameDocumentAgainKeepsItsNodesAndADamagedOneIsReadAnew() {
        let scanner = JSONScanner()
        #expect(scan(#"{"a":"\u0062"}"#, scanner) == nil)
        #expect(scanner.string(1) == "b")
        #expect(scan(#"{"a":"\u0062"}"#, scanner) == nil)
        #expect(scanner.nodeCount == 2 && scanner.string(1) == "b" && scanner.key(1) == "a")
        #expect(scan(#"{"a":"\u0063"}"#, scanner) == nil)
        #expect(scanner.string(1) == "c")
        for _ in 0..<2 { #expect(scan(#"{"a":"\u006x"}"#, scanner) != nil && scanner.nodeCount == 0) }
        #expect(scan(#"{"a":"\u0063"}"#, scanner) == nil && scanner.nodeCount == 2)
    }

    @Test func nodesFollowTheDocumentAndLinkChildrenToParents() throws {
        let scanner = JSONScanner()
        #expect(scan(#"{"a":[10,{"b":"c"}],"d":true}"#, scanner) == nil)
        #expect(scanner.nodeCount == 6)
        let kinds = (0..<6).map { scanner.node($0).kind }
        #expect(kinds == [.object, .array, .number, .object, .string, .true])
        #expect((0..<6).map { scanner.node($0).firstChild } == [1, 2, -1, 4, -1, -1])
        #expect((0..<6).map { scanner.node($0).next } == [-1, 5, 3, -1, -1, -1])
        #expect((0..<6).map { scanner.node($0).childCount } == [2, 2, 0, 1, 0, 0])
        #expect(
            (0..<6).map { scanner.text($0).text } == [
                #"{"a":[10,{"b":"c"}],"d":true}"#, #"[10,{"b":"c"}]"#, "10", #"{"b":"c"}"#, #""c""#, "true",
            ])
        #expect((0..<6).map { scanner.key($0) } == [nil, "a", nil, nil, "b", "d"])
        #expect(scanner.node(4).keyStart == 11 && scanner.node(4).keyEnd == 12)
        #expect(scanner.content(4).text == "c")
    }

    @Test func membersAreFoundByNameAtWhateverDepth() throws {
        let scanner = JSONScanner()
        try #require(scan(Self.push, scanner) == nil)
        let aps = try #require(scanner.member("aps", of: 0))
        let event = try #require(scanner.member("event", of: aps))
        #expect(scanner.isString(event, "update"))
        #expect(!scanner.isString(event, "updat") && !scanner.isString(event, "updatE"))
        let state = try #require(scanner.member("content-state", of: aps))
        #expect(scanner.integer(try #require(scanner.member("step", of: state))) == 7)
        #expect(scanner.node(try #require(scanner.member("done", of: state))).kind == .false)
        #expect(scanner.node(try #require(scanner.member("text", of: state))).kind == .null)
        #expect(scanner.member("missing", of: aps) == nil)
        #expect(scanner.member("step", of: event) == nil)
    }

    @Test func stringsWithEscapesAreDecodedOnDemand() throws {
        let scanner = JSONScanner()
        try #require(scan(Self.push, scanner) == nil)
        let aps = try #require(scanner.member("aps", of: 0))
        let alert = try #require(scanner.member("alert", of: aps))
        let title = try #require(scanner.member("title", of: alert))
        #expect(scanner.node(title).hasEscapes)
        #expect(scanner.string(title) == "Grüße 😀")
        #expect(scanner.isString(title, "Grüße 😀"))
        #expect(scanner.content(title).text == #"Gr\u00fc\u00dfe \ud83d\ude00"#)
        let buffer = ByteBuffer()
        scanner.decodeString(title, into: buffer)
        scanner.decodeString(try #require(scanner.member("body", of: alert)), into: buffer)
        #expect(buffer.text == "Grüße 😀x\ny")
    }

    @Test func everyEscapeSaysWhatItShould() {
        let scanner = JSONScanner()
        #expect(scan(#""\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\uD834\uDD1E\u0000""#, scanner) == nil)
        #expect(scanner.string(0) == "\"\\/\u{8}\u{C}\n\r\tAé€\u{1D11E}\u{0}")
    }

    @Test func keysWithEscapesAreFoundAndComparedByWhatTheySay() {
        let scanner = JSONScanner()
        #expect(scan(#"{"\u0061ps":1,"b":2}"#, scanner) == nil)
        #expect(scanner.member("aps", of: 0) == 1)
        #expect(scanner.member("b", of: 0) == 2)
        #expect(scanner.key(1) == "aps")
        #expect(scan(#"{"aps":1,"\u0061ps":2}"#) == JSONScanError(code: .duplicateKey, offset: 9))
        #expect(scan(#"{"\u0061ps":1,"\u0061\u0070s":2}"#)?.code == .duplicateKey)
        #expect(scan(#"{"\u0061ps":1,"\\u0061ps":2}"#) == nil)
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("42", 42), ("-1760000000", -1_760_000_000), ("9223372036854775807", Int64.max),
            ("-9223372036854775808", Int64.min), ("9223372036854775808", nil), ("-9223372036854775809", nil),
            ("99999999999999999999", nil), ("1.0", nil), ("1e2", nil), ("\"1\"", nil), ("true", nil),
        ] as [(String, Int64?)])
    func integersAreReadExactlyOrNotAtAll(text: String, value: Int64?) {
        let scanner = JSONScanner()
        #expect(scan(" \(text) ", scanner) == nil)
        #expect(scanner.integer(0) == value)
        #expect(scanner.double(0) == Double(text))
    }

    @Test(
        arguments: [
            ("", .unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("{", .unexpectedEnd, 1), ("{\"a\"", .unexpectedEnd, 4),
            ("{\"a\":", .unexpectedEnd, 5), ("[1,", .unexpectedEnd, 3), ("[1", .unexpectedEnd, 2),
            ("\"ab", .unexpectedEnd, 3),
            ("\"\\", .invalidEscape, 1), ("-", .unexpectedEnd, 1), ("1.", .unexpectedEnd, 2),
            ("1e+", .unexpectedEnd, 3),
            ("tru", .unexpectedByte, 0), ("nul]", .unexpectedByte, 0), ("[,1]", .unexpectedByte, 1),
            ("[1,]", .unexpectedByte, 3),
            ("{,}", .unexpectedByte, 1), ("{\"a\":1,}", .unexpectedByte, 7), ("{\"a\" 1}", .unexpectedByte, 5),
            ("{1:2}", .unexpectedByte, 1), ("[1 2]", .unexpectedByte, 3), ("[1}", .unexpectedByte, 2),
            ("{\"a\":1]", .unexpectedByte, 6), ("01", .trailingBytes, 1), ("1 2", .trailingBytes, 2),
            ("{}}", .trailingBytes, 2),
            ("+1", .unexpectedByte, 0), (".5", .unexpectedByte, 0), ("1.e3", .unexpectedByte, 2),
            ("- 1", .unexpectedByte, 1),
            ("\"a\u{1}\"", .controlCharacter, 2), ("\"a\n\"", .controlCharacter, 2), ("\"\\x\"", .invalidEscape, 1),
            ("\"\\u12g4\"", .invalidEscape, 1), ("\"\\ud800\"", .loneSurrogate, 1), ("\"\\udc00\"", .loneSurrogate, 1),
            ("\"\\ud800\\u0041\"", .loneSurrogate, 1), ("\"\\ud800\\ud800\"", .loneSurrogate, 1),
            ("1e999", .numberOutOfRange, 0), ("[-1e400]", .numberOutOfRange, 1),
            ("{\"a\":1,\"a\":1}", .duplicateKey, 7),
            ("\u{0}", .unexpectedByte, 0), ("1\u{0}", .trailingBytes, 1), ("\"\u{0}\"", .controlCharacter, 1),
        ] as [(String, JSONScanError.Code, Int)])
    func badTextIsRefusedAtItsByte(text: String, code: JSONScanError.Code, offset: Int) {
        let scanner = JSONScanner()
        #expect(scan(text, scanner) == JSONScanError(code: code, offset: offset))
        #expect(scanner.nodeCount == 0)
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x9F, 0x80], [0xE2, 0x82],
            [0xED, 0xA0, 0x80],
            [0xF0, 0x8F, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xF0, 0x9F, 0x98],
        ] as [[UInt8]])
    func illFormedUTF8IsRefusedWhereverItStandsInAString(bytes: [UInt8]) {
        for padding in 0..<20 {
            let text = [UInt8(ascii: "\"")] + [UInt8](repeating: 0x61, count: padding) + bytes + [UInt8(ascii: "\"")]
            #expect(JSONScanner().scan(text.span) == JSONScanError(code: .invalidUTF8, offset: 1 + padding))
        }
    }

    @Test(arguments: [
        "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
    ])
    func wellFormedUTF8IsTakenWhereverItStandsInAString(character: String) {
        for padding in 0..<40 {
            let scanner = JSONScanner()
            let content = String(repeating: "a", count: padding) + character + "b"
            #expect(scan("\"\(content)\"", scanner) == nil)
            #expect(scanner.content(0).text == content)
        }
    }

    @Test func aScannerKeepsToItsLimits() {
        let scanner = JSONScanner(maxDepth: 3, maxNodes: 5)
        #expect(scan("[[[1]]]", scanner) == nil)
        #expect(scan("[[[[]]]]", scanner) == JSONScanError(code: .tooDeep, offset: 3))
        #expect(scan("[1,2,3,4]", scanner) == nil)
        #expect(scan("[1,2,3,4,5]", scanner) == JSONScanError(code: .tooManyNodes, offset: 9))
    }

    @Test func theTablesGrowToTheDocumentAndServeSmallerOnesAfterIt() {
        let scanner = JSONScanner(maxDepth: 500, maxNodes: 100_000)
        let wide = "[" + (0..<20_000).map { "{\"n\":\($0)}" }.joined(separator: ",") + "]"
        #expect(scan(wide, scanner) == nil)
        #expect(scanner.nodeCount == 40_001)
        #expect(scanner.node(0).childCount == 20_000)
        #expect(scanner.integer(40_000) == 19_999)
        let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        #expect(scan(deep, scanner) == nil)
        #expect(scan("\(deep.dropLast())", scanner)?.code == .unexpectedEnd)
        #expect(scan(String(repeating: "[", count: 500), JSONScanner(maxDepth: 500))?.code == .unexpectedEnd)
        #expect(scan("7", scanner) == nil)
        #expect(scanner.nodeCount == 1 && scanner.integer(0) == 7)
    }

    @Test(arguments: [2, 31, 32, 33, 34, 100, 1_000])
    func aRepeatedKeyIsFoundInObjectsOfEverySize(count: Int) {
        let scanner = JSONScanner()
        let keys = (0..<count).map { "key\($0)" }
        let members = keys.map { "\"\($0)\":1" }
        #expect(scan("{\(members.joined(separator: ","))}", scanner) == nil)
        for repeated in [0, count / 2, count - 1] {
            let text = "{\(members.joined(separator: ",")),\"key\(repeated)\":{\"key\(repeated)\":1}}"
            let offset = text.utf8.count - "\"key\(repeated)\":{\"key\(repeated)\":1}}".utf8.count
            #expect(scan(text, scanner) == JSONScanError(code: .duplicateKey, offset: offset))
        }
    }

    @Test(arguments: [2, 32, 33, 2_000])
    func aScannerThatAllowsRepeatedKeysGivesTheFirstAndLeavesTheOthersToWalkThrough(count: Int) throws {
        let scanner = JSONScanner(allowsRepeatedKeys: true)
        let keys = (1..<count).map { #""k\#($0)":\#($0)"# } + [#""\u006b1":"again""#]
        let text = "{" + keys.joined(separator: ",") + "}"
        #expect(scan(text)?.code == .duplicateKey)
        #expect(scan(text, scanner) == nil)
        #expect(scanner.nodeCount == count + 1)
        #expect(scanner.integer(try #require(scanner.member("k1", of: 0))) == 1)
        #expect(scanner.string(count) == "again")
    }

    @Test(arguments: [2, 32, 33, 2_000])
    func ofRepeatedMembersTheLastIsLeftWhereOneAsksForIt(count: Int) throws {
        let scanner = JSONScanner(allowsRepeatedKeys: true)
        let members = (1..<count).map { #""k\#($0)":\#($0)"# } + [#""\u006b1":{"x":1,"y":2,"x":[3]}"#]
        let text = #"{"l":[{"a":1},{"a":1,"a":2}],"# + members.joined(separator: ",") + "}"
        for _ in 0..<2 {
            #expect(scan(text, scanner) == nil)
            scanner.dropRepeatedMembers()
            #expect(scanner.node(0).childCount == Int32(count))
            let last = try #require(scanner.member("k1", of: 0))
            #expect(scanner.node(last).kind == .object && scanner.node(last).childCount == 2 && scanner.node(last).next == -1)
            #expect(scanner.text(try #require(scanner.member("x", of: last))).text == "[3]")
            #expect(scanner.text(try #require(scanner.member("y", of: last))).text == "2")
            let list = try #require(scanner.member("l", of: 0))
            let objects = [Int(scanner.node(list).firstChild), Int(scanner.node(Int(scanner.node(list).firstChild)).next)]
            #expect(objects.map { scanner.node($0).childCount } == [1, 1])
            #expect(scanner.integer(try #require(scanner.member("a", of: objects[1]))) == 2)
        }
    }

    @Test func theRawTextOfAKeyStandsBetweenItsQuotes() {
        let scanner = JSONScanner()
        #expect(scan(#"{"a":[1],"\u0062":2}"#, scanner) == nil)
        #expect((0..<4).map { scanner.keyContent($0).text } == ["", "a", "", #"\u0062"#])
    }

    @Test func keysChosenToCollideCostNoQuadraticWorkAndAreStillToldApart() {
        // Equal length, equal first and last eight bytes: one hash for all.
        let scanner = JSONScanner(maxNodes: 20_000)
        let keys = (0..<10_000).map { "prefix__\(100_000 + $0)__suffix" }
        let members = keys.map { "\"\($0)\":1" }.joined(separator: ",")
        // This thread's own time: what else the machine does costs nothing.
        func spent() -> Int {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
        }
        let before = spent()
        #expect(scan("{\(members)}", scanner) == nil)
        #expect(spent() - before < 2_000, "milliseconds")
        #expect(scan("{\(members),\"\(keys[5_000])\":2}", scanner)?.code == .duplicateKey)
    }

    @Test func keysOfEveryLengthAreToldApart() {
        let prefix = "abcdefghijklmnopqrstuvwxyz"
        let keys = (0...26).map { String(prefix.prefix($0)) } + ["\\u0000", "a\\u0000", "abcdefg\\u0000", "abcdefgX"]
        let members = keys.map { "\"\($0)\":1" }
        #expect(scan("{\(members.joined(separator: ","))}") == nil)
        for member in members {
            let text = "{\(members.joined(separator: ",")),\(member)}"
            let offset = text.utf8.count - member.utf8.count - 1
            #expect(scan(text) == JSONScanError(code: .duplicateKey, offset: offset))
        }
    }

    @Test func largeObjectsWithinEachOtherKeepTheirKeysApart() {
        let inner = (0..<50).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        let outer = (0..<50).map { "\"k\($0)\":{\(inner)}" }.joined(separator: ",")
        #expect(scan("{\(outer)}") == nil)
        #expect(scan("{\(outer),\"z\":{\(inner),\"k0\":1}}")?.code == .duplicateKey)
        #expect(scan("{\(outer),\"k49\":1}")?.code == .duplicateKey)
    }

    @Test func askingForANodeThatIsNotThereStopsTheProcess() async {
        await #expect(processExitsWith: .failure) { _ = JSONScanner().node(0) }
    }
}
