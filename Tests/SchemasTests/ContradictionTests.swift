// A schema that no value can keep, or that says what its own type rules out, is refused with its place.

import Basics
import Testing

@testable import Schemas

@Suite("A schema that contradicts itself")
struct ContradictionTests {
    private static func complaint(_ text: String) throws -> String {
        do {
            _ = try Schema(SchemaFile(name: "s.json", parsing: text))
            return ""
        } catch let failure as Failure {
            return failure.description
        }
    }

    /// Each stands in line 2 and is mended by one turn.
    @Test(
        "is told with file, line and column, and mended by one turn",
        arguments: [
            (
                #""type":"object","additionalProperties":false,"properties":{"note":{}},"required":["nota"]"#, #""nota""#, #""note""#,
                "2:83: `required` holds `nota`, which is no key of the object's closed `properties` (did you mean `note`?)"
            ),
            (
                #""type":"object","additionalProperties":false,"required":["a"]"#, "false", "true",
                "2:58: `required` holds `a`, which is no key of the object's closed `properties` (add it there, or"
            ),
            (#""type":"object","required":["a","b","a"]"#, #","a"]"#, "]", "2:37: `required` holds `a` twice (strike one)"),
            (#""type":"string","enum":["a",1]"#, ",1", "", "2:29: `enum` holds 1, which `type` rules out"),
            (#""type":"integer","enum":[1,2.5]"#, "2.5", "2.0", "2:28: `enum` holds 2.5, which `type` rules out"),
            (#""type":"string","enum":["a",null]"#, #""string""#, #"["string","null"]"#, "2:29: `enum` holds null, which `type`"),
            (#""type":"boolean","const":"true""#, #""true""#, "true", "2:18: `const` holds \"true\", which `type` rules out"),
            (#""type":"integer","format":"int8","enum":[1,128]"#, "128", "127", "2:44: `enum` holds 128, which `format` rules out"),
            (#""type":"integer","maximum":5,"enum":[5,6]"#, ",6", "", "2:40: `enum` holds 6, which `maximum` rules out"),
            (#""type":"number","minimum":5,"enum":[4.5]"#, "4.5", "5.5", "2:37: `enum` holds 4.5, which `minimum` rules out"),
            (#""type":"string","maxLength":2,"enum":["abc"]"#, "abc", "ab", "2:39: `enum` holds \"abc\", which `maxLength`"),
            (#""type":"string","format":"swift-uuid","const":"a""#, "const", "title", "2:39: `const` holds \"a\", which `format`"),
            (#""enum":["a","b","a"]"#, #","a"]"#, "]", "2:17: `enum` holds \"a\" twice (strike one)"),
            (#""type":"number","minimum":2,"maximum":1"#, "\"maximum\":1", "\"maximum\":2", "2:17: `minimum` is above `maximum`"),
            (
                #""type":"integer","minimum":1.2,"maximum":1.8"#, "1.8", "2",
                "2:18: no whole number lies between `minimum` and `maximum` (change one, or write `number`)"
            ),
            (#""type":"integer","format":"uint8","minimum":256"#, "256", "255", "2:35: `minimum` is above all that UInt8 holds"),
            (#""type":"integer","format":"uint8","maximum":-1"#, "-1", "0", "2:35: `maximum` is below all that UInt8 holds"),
            (#""type":"string","minLength":3,"maxLength":2"#, "3", "2", "2:17: `minLength` is above `maxLength`"),
            (#""type":"string","minLength":3,"x-max-bytes":2"#, "3", "2", "2:17: `minLength` is above `x-max-bytes`"),
            (#""type":"string","minLength":1,"x-max-characters":0"#, "1", "0", "2:17: `minLength` is above `x-max-characters`"),
            (#""type":"string","allOf":[{},{"type":"integer"}]"#, "integer", "string", "2:29: this wants `integer`, and the value is `string`"),
            (
                #""type":"object","additionalProperties":false,"properties":{"a":{"type":"string"}},"allOf":[{"properties":{"b":{}}}]"#,
                #""b""#, #""a""#, "2:107: this speaks of `b`, which is no key of the object's closed `properties` (did you mean `a`?)"
            ),
            (
                #""properties":{"a":{"type":["string","null"]}},"if":{"properties":{"a":{"type":"null"}}},"then":{"properties":{"a":{"type":"number"}}}"#,
                "number", "string", "2:111: this wants `number`, and the value is `string`"
            ),
            (
                #""properties":{"a":{"enum":["on","off"]}},"if":{"properties":{"a":{"const":"onn"}}},"then":{"required":["a"]}"#,
                "onn", "on", "2:62: this wants \"onn\", and the value is one of `enum` (did you mean"
            ),
            (#""x-app":{"system":"a"},"type":"string""#, #""a""#, #""a","attributesType":"B""#, "2:1: `x-app` needs `attributesType`"),
            (#""x-app":{"system":"a","attributesType":"B","versoin":"1"}"#, "versoin", "version", "2:44: `x-app` has no key `versoin` (did"),
        ])
    func told(schema: String, old: String, new: String, says: String) throws {
        let text = "{\n\(schema)}"
        let complaint = try Self.complaint(text)
        #expect(complaint.hasPrefix("s.json:" + says), "\(complaint)")
        let mended = text.replacing(old, with: new, maxReplacements: 1)
        #expect(mended != text)
        #expect(try Self.complaint(mended) == "")
    }

    @Test("An overlay may not change what decodes, and may say all else")
    func overlay() throws {
        let type = Files.json(
            #"{"type":"object","required":["a"],"properties":{"a":{"type":"string"},"b":{"type":["integer","null"]},"e":{"type":["string","null"],"enum":["x","y"]},"l":{"type":"array","items":{"type":"number"}}}}"#)
        func complaint(_ overlay: String) throws -> String {
            do {
                let overlay = try SchemaOverlay(SchemaFile(name: "o.json", parsing: "{\"content-state\":\n\(overlay)}"))
                _ = try overlay.laid(over: type, part: "content-state", resolve: Files.file)
                return ""
            } catch let failure as Failure {
                return failure.description
            }
        }
        for lawful in [
            "{}", #"{"title":"a","additionalProperties":false,"x-card":{"title":"/a"}}"#, #"{"required":["a","b"]}"#,
            #"{"properties":{"a":{"maxLength":3,"enum":["p"],"x-open-enum":true}}}"#, #"{"properties":{"b":{"minimum":0}}}"#,
            #"{"properties":{"a":{"contentMediaType":"application/json","contentSchema":{"type":"object"}}}}"#,
        ] { #expect(try complaint(lawful) == "") }
        let start = "the overlay changes what the type decodes from: "
        for (unlawful, says) in [
            (#"{"required":["a","e","b"],"properties":{"b":{"type":"integer"}}}"#, "o.json:2:2: \(start)the type does not demand `b`"),
            (#"{"required":[]}"#, "o.json:2:2: \(start)the type demands `a`"),
            (#"{"properties":{"a":{"type":"integer"}}}"#, "o.json:2:21: \(start)text is not a number"),
            (#"{"properties":{"b":{"format":"int8"}}}"#, "o.json:2:21: \(start)the Swift type of a value"),
            (#"{"properties":{"a":{"enum":["p"]}}}"#, "o.json:2:21: \(start)the values of an enum"),
            (#"{"properties":{"e":{"enum":["x"]}}}"#, "o.json:2:21: \(start)the values of an enum"),
            (#"{"properties":{"c":{"type":"string"}}}"#, "o.json:2:16: \(start)the type has no `c`"),
            (#"{"properties":{"b":null}}"#, "o.json:2:16: \(start)the type has a `b`"),
            (#"{"properties":{"b":{"x-ignored":true}}}"#, "o.json:2:21: \(start)whether a value is read"),
            (#"{"properties":{"l":{"items":{"type":["number","null"]}}}}"#, "o.json:2:30: \(start)whether it may be null"),
            (#"{"properties":{"a":{"maxLenght":1}}}"#, "o.json:2:21: the keyword `maxLenght` is not checked here"),
        ] {
            let found = try complaint(unlawful)
            #expect(found.hasPrefix(says), "\(found)")
        }
        let failure = #expect(throws: Failure.self) { try SchemaOverlay(SchemaFile(name: "o.json", parsing: #"{"content_state":{}}"#)) }
        #expect(failure?.description == "o.json:1:2: an overlay has no `content_state` (did you mean `content-state`?)")
    }
}
