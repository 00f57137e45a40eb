// The tree, its places, and what is refused.

import Basics
import Testing
import YAML

private func parse(_ text: String, limits: YAMLLimits = YAMLLimits()) throws(Failure) -> YAMLNode {
    try YAMLNode.parse(text: text, file: "a.yaml", limits: limits)
}

/// What the parser says about `text`, or "" when it takes it.
private func complaint(_ text: String, limits: YAMLLimits = YAMLLimits()) -> String {
    do throws(Failure) {
        _ = try parse(text, limits: limits)
        return ""
    } catch {
        return error.description
    }
}

@Suite("A YAML document")
struct YAMLParseTests {
    private let text = """
        name: quick
        list:
          - 1
          - { a: "two", b: [x, 2.5] }
        größe: "\u{e9}\u{e9}"
        """

    @Test("becomes a tree in the order of the file")
    func tree() throws {
        let root = try parse(text)
        #expect(root.json.text == #"{"name":"quick","list":[1,{"a":"two","b":["x",2.5]}],"größe":"éé"}"#)
    }

    @Test("remembers line and column of every key and value, in characters")
    func places() throws {
        guard case .mapping(let entries) = try parse(text).content else { throw Missing() }
        #expect(entries.map(\.keyPlace.description) == ["a.yaml:1:1", "a.yaml:2:1", "a.yaml:5:1"])
        #expect(entries.map(\.value.place.description) == ["a.yaml:1:7", "a.yaml:3:3", "a.yaml:5:8"])
        let inner = entries[1].value.nearest(toPointer: "/1/b/1")
        #expect(inner.node.place.description == "a.yaml:4:24")
    }

    @Test("follows a pointer as far as it leads")
    func pointer() throws {
        let root = try parse("a:\n  b/c: 1\n  d~e: 2")
        #expect(root.nearest(toPointer: "/a/b~1c").entry?.key == "b/c")
        #expect(root.nearest(toPointer: "/a/d~0e").node.json == 2)
        #expect(root.nearest(toPointer: "/a/none/deeper").entry?.key == "a")
        #expect(root.nearest(toPointer: "").node == root)
        let accents = try parse("\u{7EC}f:\n  \"~\u{301}\": 1")
        #expect(accents.nearest(toPointer: "/\u{7EC}f/~0\u{301}").node.json == 1)
    }

    @Test(
        "reads plain scalars by the core schema and quoted ones as text",
        arguments: [
            ("12", JSONValue.integer(12)), ("-3", -3), ("0", 0), ("012", "012"), ("1.5", 1.5), ("1e3", 1000.0),
            ("1e999", "1e999"), ("99999999999999999999", "99999999999999999999"), ("true", true), ("False", false),
            ("yes", "yes"), ("~", nil), ("null", nil), ("''", ""), ("'12'", "12"), ("\"null\"", "null"),
            ("10s", "10s"),
            ("1.2.3", "1.2.3"), (".5", ".5"), ("0x10", "0x10"), ("|\n  12", "12"),
        ])
    func scalars(text: String, value: JSONValue) throws {
        #expect(try parse("k: \(text)")["k"]?.json == value)
    }

    @Test("may name a part once and use it again")
    func aliases() throws {
        let root = try parse("a: &x { n: [1, 2] }\nb: *x")
        #expect(root["b"]?.json == root["a"]?.json)
    }

    @Test(
        "is refused with the place and the fix",
        arguments: [
            ("", "a.yaml:1:1: the file is empty"),
            ("# only a comment\n", "a.yaml:2:1: the file is empty"),
            ("a: 1\nb: 2\na: 3", "a.yaml:3:1: the key `a` stands twice in this mapping (the first is at line 1)"),
            (
                "a: [1, 2\nb: 3",
                "a.yaml:2:2: not YAML: did not find expected ',' or ']' "
                    + "(it was while parsing a flow sequence begun at line 1)"
            ),
            (
                "a:\n\tb: 1",
                "a.yaml:2:1: not YAML: found character that cannot start any token "
                    + "(indent with spaces; YAML does not take tabs)"
            ),
            ("a: b: c", "a.yaml:1:5: not YAML: mapping values are not allowed in this context"),
            (
                "a: 1\n\u{1}",
                "a.yaml:2:1: not YAML: control characters are not allowed "
                    + "(the file must be UTF-8 text without control characters)"
            ),
            ("[a, b]: 1", "a.yaml:1:1: a key must be plain text (write `key: value`)"),
            ("a: &x 1\n*x : 2", "a.yaml:2:1: a key must be plain text (write `key: value`)"),
            (
                "a: *nobody",
                "a.yaml:1:4: no anchor `&nobody` is complete before this alias "
                    + "(define the anchor earlier; it cannot contain itself)"
            ),
            (
                "a: &x [*x]",
                "a.yaml:1:8: no anchor `&x` is complete before this alias "
                    + "(define the anchor earlier; it cannot contain itself)"
            ),
            (
                "a: !!python/object 1",
                "a.yaml:1:4: the tag `tag:yaml.org,2002:python/object` is not understood "
                    + "(leave tags out)"
            ),
            (
                "a: &x { k: 1 }\nb:\n  <<: *x",
                "a.yaml:3:3: merge keys (<<) are not understood (write the entries out)"
            ),
            ("a: 1\n---\nb: 2", "a.yaml:2:1: a second document begins here (keep one document to a file)"),
        ])
    func refused(text: String, message: String) { #expect(complaint(text) == message) }

    @Test("cannot grow by aliases beyond the limit of nodes")
    func billionLaughs() {
        var text = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n"
        for level in 1...9 {
            let uses = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(uses)]\n"
        }
        #expect(complaint(text).hasPrefix("a.yaml:5:"))
        #expect(complaint(text).contains("more than 50000 nodes, aliases counted in full (make the file smaller"))
    }

    @Test("cannot be larger, deeper or fuller than the limits")
    func limits() {
        let small = YAMLLimits(bytes: 20, nodes: 4, depth: 2)
        #expect(complaint("a: [1, 2]", limits: small) == "")
        #expect(
            complaint("a: [1, 2, 3]", limits: small) == "a.yaml:1:11: more than 4 nodes, aliases counted in full "
                + "(make the file smaller or flatter)")
        #expect(
            complaint("a: [[[]]]", limits: small) == "a.yaml:1:6: nested deeper than 2 levels "
                + "(make the file smaller or flatter)")
        #expect(
            complaint("a: 12345678901234567890", limits: small)
                == "a.yaml: the file is larger than 20 bytes (split it into several files)")
        #expect(complaint(String(repeating: "[", count: 20_000)).contains("nested deeper than 32 levels"))
    }

    @Test("survives any cut and any flipped byte without a crash")
    func damaged() {
        let bytes = Array(text.utf8)
        var generator = Seed(20_261_120).generator()
        for end in bytes.indices { _ = complaint(String(decoding: bytes[..<end], as: UTF8.self)) }
        for _ in 0..<2_000 {
            var changed = bytes
            for _ in 0..<1 + Int(generator.next() % 3) {
                changed[Int(generator.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: generator.next())
            }
            _ = complaint(String(decoding: changed, as: UTF8.self))
        }
    }

    private struct Missing: Error {}
}
