// A schema file with a mistake is refused with its place and its fix: what would be passed over in silence is worse.

import Basics
import Testing

@testable import Schemas

@Suite("A mistake in a schema file")
struct SchemaMistakeTests {
    private func complaint(_ text: String) -> String {
        do throws(Failure) {
            _ = try Schema(Files.json(text), name: "a.json")
            return ""
        } catch {
            return error.description
        }
    }

    @Test(
        "is told with its place and its fix",
        arguments: [
            (
                #"{"type":"object","propertis":{}}"#,
                "a.json#/propertis: the keyword `propertis` is not checked here (did you mean `properties`?)"
            ),
            (#"{"type":"string","pattern":"a"}"#, "a.json#/pattern: the keyword `pattern` is not checked here (known: type, "),
            (
                #"{"properties":{"a":{"type":"text"}}}"#,
                "a.json#/properties/a: there is no type `text` (known: object, "
            ),
            (#"{"type":["string","integer"]}"#, "a.json: a value of Swift has one type, not `string` or `integer`"),
            (
                #"{"type":"integer","format":"double"}"#,
                "a.json#/format: `format` names the Swift type of a number or a text (one of int, "
            ),
            (
                #"{"type":"string","format":"date-time"}"#,
                "a.json#/format: `format` names the Swift type of a number or a text (one of swift-uuid, "
            ),
            (#"{"type":"string","minimum":1}"#, "a.json: `minimum` says nothing about a value of type `string`"),
            (#"{"type":"integer","minLength":1}"#, "a.json: `minLength` says nothing about a value of type `integer`"),
            (#"{"enum":[]}"#, "a.json: `enum` names no value"),
            (#"{"enum":[[1]]}"#, "a.json: `enum` and `const` hold single values"),
            (#"{"enum":["a"],"const":"a"}"#, "a.json: a value has `enum` or `const`, not both"),
            (#"{"type":"string","x-open-enum":true}"#, "a.json: `x-open-enum` needs an `enum`"),
            (#"{"then":{}}"#, "a.json: `then` and `else` need an `if`"),
            (#"{"if":{}}"#, "a.json: an `if` without `then` and `else` says nothing"),
            (#"{"type":"string","contentSchema":{}}"#, "a.json: a text that holds a value has both"),
            (#"{"type":"object","properties":{"a":{}},"additionalProperties":{}}"#, "a.json: an object is a struct"),
            (##"{"$ref":"#/$defs/a"}"##, "a.json: `$ref` leads nowhere: there is no `/$defs/a` in a.json"),
            (##"{"$ref":"#/$defs/a","type":"string"}"##, "a.json: `type` stands beside a `$ref`"),
            (#"{"$ref":"b.json"}"#, "a.json#/$ref: `b.json` cannot be read from here"),
            (##"{"items":{"$ref":"#"}}"##, "a.json: `items` says nothing about a value of type `any`"),
            (##"{"type":"array","items":{"$ref":"#"}}"##, "the schema is too large or contains itself"),
            (##"{"$ref":"#"}"##, "the schema is too large or contains itself"),
            (#"{"type":"object","required":"a"}"#, "a.json: `required` is a list"),
            (#"{"type":"string","maxLength":-1}"#, "a.json: `maxLength` is a whole number from 0 to 1000000"),
            (#"[]"#, "a.json: a schema is an object"),
            (#"{"properties":{"a~b/c":true}}"#, "a.json#/properties/a~0b~1c: a schema is an object"),
        ])
    func told(schema: String, says: String) {
        let complaint = complaint(schema)
        #expect(complaint.contains(says), "\(complaint)")
    }

    @Test("is also a schema that references blow up")
    func growth() {
        var parts = [#""a0":{"type":"string"}"#]
        for level in 1...20 {
            let branch = ##"{"$ref":"#/$defs/a\##(level - 1)"}"##
            parts.append(#""a\#(level)":{"type":"object","properties":{"x":\#(branch),"y":\#(branch)}}"#)
        }
        let complaint = complaint(##"{"$ref":"#/$defs/a20","$defs":{\##(parts.joined(separator: ","))}}"##)
        #expect(complaint.contains("too large"))
    }

    @Test("Annotations are taken and say nothing")
    func annotations() {
        #expect(
            complaint(
                #"{"$schema":"a","$id":"b","$comment":"c","title":"d","description":"e","default":1,"examples":[1],"$defs":{}}"#
            ) == "")
    }
}
