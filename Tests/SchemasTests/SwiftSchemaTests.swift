// What is read of an `ActivityAttributes` declaration, and what is refused with its place. The compiled types themselves are
// the measure in OracleTests.

import Basics
import Foundation
import Testing

@testable import Schemas

@Suite("Schemas from a Swift declaration")
struct SwiftSchemaTests {
    private static func schemas(
        _ text: String, of type: String? = nil
    ) throws(Failure) -> (type: String, attributes: JSONObject, contentState: JSONObject) {
        var schemas = try SwiftSchemas(text, name: "T.swift")
        return try schemas.schemas(of: type)
    }

    /// Members begin in line 3.
    private static func around(_ members: String) -> String {
        "struct A: ActivityAttributes {\n    struct ContentState: Codable, Hashable {\n\(members)\n    }\n}\n"
    }

    @Test(
        "What is shipped is what the system's type says, with its overlay",
        arguments: [
            ("OpenCodeA", "opencode-a", "OpenCodeA.SessionActivityAttributes"),
            ("OpenCodeB", "opencode-b", "OpenCodeB.LiveActivityAttributes"),
            ("OpenCodeIOS", "opencode-ios", "OpenCodeIOS.SessionActivityAttributes"),
            ("Busymate", "busymate", "Busymate.BusymateActivityAttributes"),
            ("Sendora", "sendora-order", "Sendora.OrderAttributes"),
            ("Epilogue", "epilogue", "Epilogue.AmbientActivityAttributes"),
        ])
    func shipped(source: String, name: String, type: String) throws {
        let read = try Files.declared(source)
        #expect(read.type == type)
        for (part, own) in [("attributes", read.attributes), ("content-state", read.contentState)] {
            var laid = try Files.overlay(name).laid(over: .object(own), part: part, resolve: Files.file).tree.object ?? [:]
            laid["$schema"] = "https://json-schema.org/draft/2020-12/schema"
            let file = try Files.file("\(name).\(part).json")
            #expect(JSONValue.object(laid) == file.tree, "\(JSONValue.object(laid).text)\n\(file.tree.text)")
            // The schema alone, and the one that is shipped, decode from the same.
            let schemas = (try Schema(.object(own), name: name), try Schema(file, resolve: Files.file))
            #expect(SchemaChange.first(from: schemas.0, to: schemas.1) == nil)
            #expect(schemas.1.app?.attributesType == type.split(separator: ".").last.map(String.init))
        }
    }

    @Test(
        "A member is read as the compiler decodes it",
        arguments: [
            ("var a: Int32?", #"{"a":{"type":["integer","null"],"format":"int32"}}"#, []),
            ("var a: Optional<UInt>", #"{"a":{"type":["integer","null"],"format":"uint"}}"#, []),
            ("public private(set) var a: Swift.String", #"{"a":{"type":"string"}}"#, ["a"]),
            ("let a = 3", #"{"a":{"type":"integer","x-ignored":true}}"#, []),
            ("let a: Date? = nil", #"{"a":{"type":["number","null"],"format":"swift-date","x-ignored":true}}"#, []),
            ("let a: Int", #"{"a":{"type":"integer"}}"#, ["a"]),
            ("var a = -1.5", #"{"a":{"type":"number","default":-1.5}}"#, ["a"]),
            ("var a = true, b: Bool", #"{"a":{"type":"boolean","default":true},"b":{"type":"boolean"}}"#, ["a", "b"]),
            ("var a: Int = 1_000", #"{"a":{"type":"integer","default":1000}}"#, ["a"]),
            ("static var a = 1; class func b() {}; var c: Bool", #"{"c":{"type":"boolean"}}"#, ["c"]),
            ("var a: Int { 3 }", "{}", []),
            ("var a: Int\n{ get { 3 } }\nvar b: UUID", #"{"b":{"type":"string","format":"swift-uuid"}}"#, ["b"]),
            ("var a: Int = 3 { didSet { print(a) } }", #"{"a":{"type":"integer"}}"#, ["a"]),
            ("var a: Int { willSet { print(a) } }", #"{"a":{"type":"integer"}}"#, ["a"]),
            ("var a: Set<URL>", #"{"a":{"type":"array","items":{"type":"string","format":"swift-url"}}}"#, ["a"]),
            (
                "var a: [String: [Data?]]",
                #"{"a":{"type":"object","additionalProperties":{"type":"array","items":{"type":["string","null"],"format":"swift-data"}}}}"#,
                ["a"]
            ),
            (
                "enum E: Int8, Codable { case a = 5, b\n case c = -9 }\nvar a: [E]",
                #"{"a":{"type":"array","items":{"type":"integer","format":"int8","enum":[5,6,-9]}}}"#, ["a"]
            ),
            (
                "typealias T = E?; indirect enum E: String, Codable { case a, `default` = \"d\" }\nvar a: T",
                #"{"a":{"type":["string","null"],"enum":["a","d"]}}"#, []
            ),
            ("var a: String = \"}{ // /* \\(1 + (2)) \\\"\", b: Int", #"{"a":{"type":"string"},"b":{"type":"integer"}}"#, ["a", "b"]),
            ("/* { /* { */ */ var a: Float // {\n", #"{"a":{"type":"number","format":"float"}}"#, ["a"]),
            ("var a = #\"\"\"\n { \" \"\"\" {\n \"\"\"#", #"{"a":{"type":"string"}}"#, ["a"]),
            ("@available(iOS 17, *) @MainActor var a: Int", #"{"a":{"type":"integer"}}"#, ["a"]),
            ("var a = 0x10, b = -0b11, c = 0o1_7", #"{"a":{"type":"integer","default":16},"b":{"type":"integer","default":-3},"c":{"type":"integer","default":15}}"#, ["a", "b", "c"]),
            ("var a = 0x1.8p3, b = 1e3, c = 0x1E", #"{"a":{"type":"number","default":12.0},"b":{"type":"number","default":1000.0},"c":{"type":"integer","default":30}}"#, ["a", "b", "c"]),
            ("enum E: Int, Codable { case a = 0x10, b, c = 0o17 }\nvar a: E", #"{"a":{"type":"integer","enum":[16,17,15]}}"#, ["a"]),
            ("var a: Int, b: Int\ntypealias CodingKeys = K\nenum K: String, CodingKey { case a = \"x\" }\n", #"{"x":{"type":"integer"}}"#, ["x"]),
            ("var a: Int\ntypealias T = String; enum CodingKeys: T, CodingKey { case a = \"x\" }", #"{"x":{"type":"integer"}}"#, ["x"]),
            ("var a: Int\nenum CodingKeys: Swift.String, CodingKey { case a = \"x\" }", #"{"x":{"type":"integer"}}"#, ["x"]),
            ("var a: Int\ninit(from other: Trip) { a = 1 }\nenum Decoding {}", #"{"a":{"type":"integer"}}"#, ["a"]),
            ("var a, b: Int, c: Bool", #"{"a":{"type":"integer"},"b":{"type":"integer"},"c":{"type":"boolean"}}"#, ["a", "b", "c"]),
            (
                "var a = x, b: Int\nenum CodingKeys: String, CodingKey { case b = \"c\" }", #"{"c":{"type":"integer"}}"#, ["c"]
            ),
            ("var a: Int\nprivate enum CodingKeys: Int, CodingKey { case a = 7 }", #"{"a":{"type":"integer"}}"#, ["a"]),
            ("var a: Inner.Deep\nstruct Inner: Codable { struct Deep: Codable { var x: Int? } }", #"{"a":{"type":"object","properties":{"x":{"type":["integer","null"]}}}}"#, ["a"]),
            (
                "nonisolated(unsafe) static let x = /\\{/\nvar a: Int\nnonisolated(unsafe) static let y = [/\\}/, /[)\"]/]\nvar b: Int",
                #"{"a":{"type":"integer"},"b":{"type":"integer"}}"#, ["a", "b"]
            ),
            ("static let x = #/\n { # \"\n /#, y = ##/{/#\"/##; var a: Int", #"{"a":{"type":"integer"}}"#, ["a"]),
            ("static let x = f(/, 2), y = (6/2, 4 / 2), z = /* */ /\"/; var a: Int // /\"", #"{"a":{"type":"integer"}}"#, ["a"]),
            (
                "var a: [String: Int] = Dictionary<String, Int>(), b: Int = 3",
                #"{"a":{"type":"object","additionalProperties":{"type":"integer"}},"b":{"type":"integer","default":3}}"#, ["a", "b"]
            ),
            ("var a: (Int)?, b: Swift.Optional<Int>", #"{"a":{"type":["integer","null"]},"b":{"type":["integer","null"]}}"#, []),
            ("enum E: Swift.String, Swift.Codable { case x }\nvar a: E", #"{"a":{"type":"string","enum":["x"]}}"#, ["a"]),
            ("var a: Int\nfunc f<T>(_ x: T = { 1 }()) where T == Int { let b = 1 }\ninit(a: Int) { self.a = a }", #"{"a":{"type":"integer"}}"#, ["a"]),
        ])
    func read(members: String, properties: String, required: [String]) throws {
        let state = try Self.schemas(Self.around(members)).contentState
        #expect(state["properties"] == Files.json(properties), "\(JSONValue.object(state).text)")
        #expect(state["required"]?.array?.compactMap(\.string) ?? [] == required)
        _ = try Schema(.object(state), name: "read")
    }

    @Test(
        "What cannot be read is refused with its place and its reason",
        arguments: [
            ("        var a: Box<Int>", "T.swift:3:16: `Box` is generic (write out the type that is meant)"),
            ("        struct S<T>: Codable { var t: T }\n        var a: S", "T.swift:3:17: `A.ContentState.S` is generic"),
            ("        typealias S<T> = [T]\n        var a: S", "T.swift:3:19: `S` is generic"),
            ("        var a: (Int, Int)", "T.swift:3:16: a type that begins with `(` is not read here (tuples and"),
            ("        var a: (Int) -> Int", "T.swift:3:16: a type that begins with `(` is not read here"),
            ("        var a: any Codable", "T.swift:3:16: a type that begins with `any` is not read here"),
            ("        var a: Codable & Hashable", "T.swift:3:16: a type that begins with `Codable` is not read here"),
            ("        var a: Trip", "T.swift:3:16: `Trip` is not declared in this file, and is no type that is known"),
            ("        var a: [Int: String]", "T.swift:3:16: a dictionary whose keys are no `String`"),
            ("        @Clamped var a: Int", "T.swift:3:10: what `@Clamped` makes of `a` cannot be known here"),
            ("        @Coded struct S {}\n        var a: S", "T.swift:3:10: what `@Coded` makes of it cannot be known (strike it)"),
            ("        var a: Bool = 1 < 2, b: Int", "T.swift:3:25: which `,` behind this `<` begins another name is not read (write"),
            ("        var a = /x/", "T.swift:3:13: the type of `a` is not written (write it after a colon)"),
            ("        var a = #/x", "T.swift:3:17: a regular expression is never closed (add its closing slash and hashes)"),
            ("        lazy var a: Int = 1", "T.swift:3:18: `lazy` properties are not read (strike `lazy`)"),
            ("        var a = make()", "T.swift:3:13: the type of `a` is not written (write it after a colon)"),
            ("        var a: Int??", "T.swift:3:20: an optional of an optional is not read"),
            ("        enum E: Codable { case a }\n        var a: E", "T.swift:3:14: the enum `A.ContentState.E` has no raw values"),
            ("        enum E: Double, Codable { case a = 1.5 }\n        var a: E", "T.swift:3:14: the enum `A.ContentState.E` has no"),
            ("        enum E: String, Codable { case a(Int) }\n        var a: E", "T.swift:3:40: the case `a` has values of its own"),
            (
                "        enum E: String, Codable { case a = \"x\\ty\" }\n        var a: E",
                "T.swift:3:40: the value of `a` is not read (write a plain literal"
            ),
            ("        final class C: Codable {}\n        var a: C", "T.swift:3:21: `A.ContentState.C` is a class, not read here"),
            ("        struct S: OptionSet { let rawValue: Int }\n        var a: S", "T.swift:3:16: the coding of `OptionSet`"),
            ("        init(from decoder: any Decoder) throws {}", "T.swift:3:9: `A.ContentState` decodes by code of its own"),
            ("        typealias D = Decoder\n        init(from decoder: D) throws {}", "T.swift:4:9: `A.ContentState` decodes by code of its own"),
            ("        init(from d: E) {}\n        typealias E = any D; typealias D = Swift.Decoder", "T.swift:3:9: `A.ContentState` decodes"),
            (
                "        typealias Me = S\n        struct S: Codable { var a: Int }\n        var s: S\n    }\n}\n"
                    + "extension A.ContentState.Me { init(from d: Decoder) {}; func z() {", "T.swift:8:31: `A.ContentState.S` decodes by code"
            ),
            (
                "        struct S: P { var a: Int }\n        var s: S\n    }\n"
                    + "    protocol P: Codable {}\n    extension P { init(from d: Decoder) {} ", "T.swift:7:19: `A.ContentState.S` decodes by code"
            ),
            (
                "        enum E: String, Codable { case a; init?(rawValue: String) { self = .a } }\n        var a: E",
                "T.swift:3:43: `A.ContentState.E` is made of raw values by code of its own (write its schema by hand)"
            ),
            (
                "        typealias D = Decoder\n        enum E: String, Codable { case a; init(from d: D) { self = .a } }\n        var a: E",
                "T.swift:4:43: `A.ContentState.E` decodes by code of its own"
            ),
            ("        typealias CodingKeys = K\n        var a: Int", "T.swift:3:19: what `CodingKeys` stands for is not in this file"),
            ("        struct CodingKeys {}\n        var a: Int", "T.swift:3:16: coding keys are an enum"),
            (
                "        enum CodingKeys: CodingKey { case a; var stringValue: String { \"x\" } }\n        var a: Int",
                "T.swift:3:50: the coding keys of `A.ContentState` are named by code of their own"
            ),
            ("        var a = 0xFFFF_FFFF_FFFF_FFFF", "T.swift:3:13: the type of `a` is not written"),
            ("        #if DEBUG\n        var a: Int\n        #endif", "T.swift:3:9: what `#if` leaves of this type"),
            ("        var (a, b) = (1, 2)", "T.swift:3:13: names in brackets are not read (write each alone)"),
            ("        var next: [ContentState]", "T.swift:3:20: `A.ContentState` contains itself"),
            (
                "        var a: Int\n        enum CodingKeys: String, CodingKey { case a, b }",
                "T.swift:4:54: the coding key `b` is no stored property of `A.ContentState`"
            ),
            ("        struct S: Codable {}\n        struct S: Codable {}\n        var a: S", "T.swift:4:16: `A.ContentState.S` is declared twice"),
            ("        var a: [Int].Element", "T.swift:3:21: what `.` makes of the type before it is not read (write out"),
            ("        typealias N = Array<Int>.Element\n        var a: N", "T.swift:3:33: what `.` makes of the type before it"),
            ("        typealias N = Int; typealias N = String\n        var a: N", "T.swift:3:38: `A.ContentState.N` is declared twice"),
            ("        protocol P: RawRepresentable {}\n        struct S: P {}\n        var a: S", "T.swift:4:16: the coding of `P` cannot"),
            (
                "        typealias P = Codable & RawRepresentable\n        struct S: P {}\n        var a: S",
                "T.swift:4:16: the coding of `P` cannot be known here"
            ),
            ("        struct S: Hashable {}\n        var a: S", "T.swift:3:16: `A.ContentState.S` does not conform to `Codable` in this"),
            ("        enum E: Int { case x }\n        var a: E", "T.swift:3:14: `A.ContentState.E` does not conform to `Codable`"),
            ("        var a: Int; var a: String", "T.swift:3:25: `a` is declared twice (keep one of them)"),
            (
                "        var a: Int, b: Int\n        enum CodingKeys: String, CodingKey { case a = \"x\", b = \"x\" }",
                "T.swift:4:60: two coding keys of `A.ContentState` are `x` (give each its own)"
            ),
            (
                "        enum E: String, Codable { case a = \"x\", b = \"x\" }\n        var a: E",
                "T.swift:3:49: another case of `A.ContentState.E` has the raw value of `b`"
            ),
            ("        enum E: Int, Codable { case a = 1, b = 0, c }\n        var a: E", "T.swift:3:51: another case of `A.Content"),
            ("        enum E: String, Codable { case a, a }\n        var a: E", "T.swift:3:43: `a` is declared twice"),
            ("        enum E: UInt8, Codable { case a = 255, b }\n        var a: E", "T.swift:3:48: the raw value 256 of `b` is beyond UInt8"),
            ("        enum E: UInt8, Codable { case a = -1 }\n        var a: E", "T.swift:3:39: the raw value -1 of `a` is beyond UInt8"),
            (
                "        enum E: Int, Codable { case a = 9223372036854775807, b }\n        var a: E",
                "T.swift:3:62: the raw value 9223372036854775808 of `b` is beyond Int (write one that it holds)"
            ),
            ("        wat a: Int", "T.swift:3:9: found `wat` where a declaration begins"),
            ("        var é: String = \"open", "T.swift:3:25: a text is never closed (add its closing quote)"),
            ("        var a: [Int", "T.swift:4:5: `}` closes nothing (check the brackets before it)"),
            ("        var a: Int }", "T.swift:5:1: `}` closes nothing"),
            ("        /*", "T.swift:2:44: `{` is never closed"),
        ])
    func refused(members: String, says: String) {
        let failure = #expect(throws: Failure.self) { try Self.schemas(Self.around(members)) }
        #expect(failure?.description.hasPrefix(says) == true, "\(failure?.description ?? "")")
        #expect(failure?.kind == .usage)
    }

    /// 20,000 of each.
    @Test(
        "However deep a type is, it is refused in one line that says where", .timeLimit(.minutes(10)),
        arguments: [
            ("Int", "?", "", "T.swift:3:20: an optional of an optional is not read"),
            ("Int", "!", "", "T.swift:3:20: an optional of an optional is not read"),
            ("[", "[", "Int", "T.swift:3:48: the type is nested too deeply"), ("(", "(", "Int", "T.swift:3:48: the type is nested too deeply"),
            ("Optional<", "Optional<", "Int", "T.swift:3:304: the type is nested too deeply"),
            ("[String: ", "[String: ", "Int", "T.swift:3:296: the type is nested too deeply"),
            ("Array<Int", "?", ">", "T.swift:3:26: an optional of an optional is not read"),
        ])
    func deep(first: String, again: String, last: String, says: String) {
        let close: [Character: String] = ["[": "]", "(": ")", "<": ">"]
        let opened = (first + String(repeating: again, count: 20_000)).compactMap { close[$0] }
        let ends = again == "?" || again == "!" ? "" : opened.reversed().joined()
        let type = first + String(repeating: again, count: 20_000) + last + ends
        let failure = #expect(throws: Failure.self) { try Self.schemas(Self.around("        var a: \(type)")) }
        #expect(failure?.description.hasPrefix(says) == true, "\(failure?.description.prefix(200) ?? "")")
    }

    @Test("What looks like arguments and is none, and nested conditions, take a moment however many there are", .timeLimit(.minutes(10)))
    func many() {
        let less = "var a: Int = " + String(repeating: "a<", count: 20_000) + "b"
        #expect(throws: Never.self) { try Self.schemas(Self.around(less)) }
        let conditions = String(repeating: "#if X\n", count: 20_000) + String(repeating: "#endif\n", count: 20_000)
        #expect(throws: Failure.self) { try Self.schemas(Self.around("var a: Int\n" + conditions)) }
    }

    @Test(
        "What stands beside the types and changes how they decode is refused",
        arguments: [
            ("#if DEBUG\ntypealias N = Int\n#else\ntypealias N = Int\n#endif\n", "T.swift:1:1: what `#if` leaves of `N` cannot be known"),
            ("#if false\nextension A.ContentState { enum CodingKeys: String, CodingKey { case a = \"x\" } }\n#endif\ntypealias N = Int\n", "T.swift:1:1: what `#if` leaves of `A.ContentState.CodingKeys` cannot"),
            ("#if !false\nextension A.ContentState { init(from d: any Decoder) {} }\n#endif\ntypealias N = Int\n", "T.swift:1:1: what `#if` leaves of `A.ContentState`"),
            ("#if canImport(ActivityKit)\n#else\ntypealias N = Int\n#endif\n", "T.swift:1:1: what `#if` leaves of `N`"),
            ("enum Away {}\n#if canImport(ActivityKit) && DEBUG\ntypealias N = Int\n#endif\n", "T.swift:2:1: what `#if` leaves of `N`"),
            ("typealias N = Int\nextension Decodable where Self: Marker { init(from d: any Decoder) throws { self.init() } }\n", "T.swift:2:11: an extension of `Decodable` decodes by code of its own (write the schema by hand)"),
            ("typealias N = Int\nextension RawRepresentable where Self: Decodable { init(from d: any Decoder) throws {} }\n", "T.swift:2:11: an extension of `RawRepresentable` decodes"),
            ("typealias N = Int\nextension KeyedDecodingContainer { func decode(_ type: Int.Type, forKey key: Key) throws -> Int { 0 } }\n", "T.swift:2:11: an extension of `KeyedDecodingContainer` decodes"),
            ("typealias N = Int\ntypealias D = Decodable\nextension D { init(from d: any Decoder) throws {} }\n", "T.swift:2:11: an extension of `D` decodes"),
        ])
    func beside(text: String, says: String) {
        let failure = #expect(throws: Failure.self) { try Self.schemas(text + Self.around("var a: N")) }
        #expect(failure?.description.hasPrefix(says) == true, "\(failure?.description ?? "")")
    }

    @Test(
        "What an extension under another name adds, or a generic type may stand for, is not passed over",
        arguments: [
            (
                "typealias N = Int\ntypealias S = A.ContentState\nextension S { enum CodingKeys: String, CodingKey { case a = \"x\" } }\n",
                "T.swift:3:20: `S` stands for `A.ContentState`, of which nothing is read under that name (write `extension A.Con"
            ),
            ("struct N: Codable {}\ntypealias S = A.ContentState\nextension S { typealias N = Int }\n", "T.swift:3:25: `S` stands for `A.C"),
            ("struct N: Codable {}\ntypealias S = A\nextension S.ContentState { typealias N = Int }\n", "T.swift:3:38: `S.ContentState` stands"),
            ("typealias N = Int\nextension App.A { enum CodingKeys: CodingKey {} }\n", "T.swift:2:24: `App.A` stands for `A`, of which"),
            ("typealias N = Int\nextension App.A.ContentState: Mine {}\n", "T.swift:2:11: `App.A.ContentState` stands for `A.ContentState`"),
            ("enum B<Int> { struct N: Codable { var a: Int } }\ntypealias N = B<Bool>.N\n", "T.swift:2:22: what `.` makes of"),
            ("enum B<Int> {}\nextension B { struct N: Codable { var a: Int } }\ntypealias N = B.N\n", "T.swift:2:22: `B.N` stands within `B`"),
        ])
    func misplaced(text: String, says: String) {
        let failure = #expect(throws: Failure.self) { try Self.schemas(text + Self.around("var a: N")) }
        #expect(failure?.description.hasPrefix(says) == true, "\(failure?.description ?? "")")
    }

    @Test("An extension of a type within a type does not see the names of the outer one, as Swift does not")
    func extended() throws {
        let text = "typealias N = B.C.D; struct M: Codable { var w: Int }\nenum B { typealias M = Int; enum C {} }\n"
        let inner = "extension B.C { struct D: Codable { var m: M } }\n"
        let state = try Self.schemas(text + inner + Self.around("var a: N")).contentState
        #expect(JSONValue.object(state).text.contains(#""required":["w"]"#))
    }

    @Test(
        "What is compiled wherever there are Live Activities is read, and so is what changes nothing",
        arguments: [
            "#if canImport(ActivityKit)\nimport ActivityKit\ntypealias N = Int\n#endif\n", "#if os(iOS)\ntypealias N = Int\n#endif\n",
            "typealias N = Int\n#if DEBUG\nextension A.ContentState { static let sample = 1; func f() {}; var text: String { \"\" } }\n#endif\n",
            "typealias N = Int\nextension Int { func f() {}; var half: Int { self / 2 } }\n",
            "typealias N = Int\ntypealias S = A; extension S.ContentState { static let b = 1; func f() {} }\nextension Swift.Array { struct N {} }\n",
            "typealias N = Int\ntypealias C = KeyedDecodingContainer\nextension Decodable { var plain: Int { 1 } }\n",
        ])
    func compiled(text: String) throws {
        let state = try Self.schemas(text + Self.around("var a: N")).contentState
        #expect(state["properties"] == ["a": ["type": "integer"]])
    }

    @Test("What is wrong with a type that nobody uses is nobody's concern")
    func unused() throws {
        let other = """
            class Model<T>: NSObject { @Published var a: (Int) -> Void; init(from d: any Decoder) { } }
            typealias Handler = (Int) -> Void
            #Preview { Text("}") }
            extension Model where T == Int { var b: some View { Text("{") } }
            """
        #expect(try Self.schemas(other + "\n" + Self.around("var a: Int")).type == "A")
    }

    @Test("Which type is meant is told, or asked for")
    func choice() throws {
        func complaint(_ text: String, _ type: String? = nil) -> String {
            do throws(Failure) {
                return try Self.schemas(text, of: type).type
            } catch {
                return error.description
            }
        }
        let two = Self.around("") + Self.around("").replacing("struct A", with: "public struct Bee")
        #expect(complaint("struct A {}").hasPrefix("T.swift: there is no type that conforms to `ActivityAttributes` (name it"))
        #expect(complaint(two) == "T.swift: there are several: A, Bee (choose one with --type)")
        #expect(complaint(two, "Bee") == "Bee")
        #expect(complaint(two, "Beee") == "T.swift: there is no type `Beee` (did you mean `Bee`?)")
        #expect(complaint("struct A: ActivityAttributes { var a: Int }").hasPrefix("T.swift:1:8: `A` has no `ContentState` in"))
        let apart = "extension A: ActivityAttributes {}\nstruct A: Codable { }\nextension A { struct ContentState: Codable, Hashable { } }"
        #expect(complaint(apart) == "A")
        #expect(complaint("final class A: ActivityAttributes {}") == "T.swift:1:13: `A` is a class, not read here (structs and enums with raw values are)")
        #expect(complaint("\nextension Bee: ActivityAttributes {}").hasPrefix("T.swift:2:11: `Bee` is only extended in this file, not"))
        let aliased = "typealias AA = ActivityAttributes; protocol Mine: AA {}; typealias Trip = A\n"
        #expect(complaint(aliased + Self.around("").replacing(": ActivityAttributes", with: ": Mine")) == "A")
        #expect(complaint(aliased + Self.around(""), "Trip") == "A")
        #expect(complaint("\u{FEFF}" + Self.around("")) == "A")
        #expect(complaint("\u{FEFF}final class A: ActivityAttributes {}").hasPrefix("T.swift:1:13: `A` is a class"))
        #expect(complaint("enum N { \(Self.around("")) }", "A") == "N.A")
    }

    @Test("A type that grows without end is refused")
    func growth() {
        var text = "struct S0: Codable { var a: Int }\n"
        for level in 1...18 { text += "struct S\(level): Codable { var a, b: S\(level - 1) }\n".replacing("a, b:", with: "a: S\(level - 1); var b:") }
        let failure = #expect(throws: Failure.self) { try Self.schemas(text + Self.around("        var a: S18")) }
        #expect(failure?.message == "the type is too large")
    }

    @Test("No source stops the program: every beginning of one, and one with each mark struck")
    func hostile() throws {
        let path = Files.repository + "/Tests/SchemasTests/Apps/EveryKind.swift"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        var read = 0
        for (place, letter) in text.enumerated() where place % 13 == 0 || place % 2 == 0 && "{}()[]\"`<>#@\\".contains(letter) {
            let index = text.index(text.startIndex, offsetBy: place)
            for source in [String(text[..<index]), String(text[..<index] + text[text.index(after: index)...])] {
                if (try? Self.schemas(source)) != nil { read += 1 }
            }
        }
        #expect(read > 50)
        let deep = [
            String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000), String(repeating: "#", count: 20_000),
            String(repeating: "\"\\(", count: 5_000), String(repeating: "struct A {", count: 500) + String(repeating: "}", count: 500),
            "struct A: ActivityAttributes { struct ContentState { var a: " + String(repeating: "[", count: 500) + String(repeating: "]", count: 500) + "}}",
        ]
        for source in deep { #expect(throws: Failure.self) { try Self.schemas(source) } }
    }

    @Test("The reader of declarations stays small")
    func size() throws {
        let folder = Files.repository + "/Sources/Schemas/Swift/"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        let lines = try files.map { try String(contentsOfFile: folder + $0, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false).count - 1 }
        #expect(files.count == 5 && lines.allSatisfy { $0 <= 400 } && lines.reduce(0, +) <= 740)
    }
}
