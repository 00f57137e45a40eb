// The tree: literals, accessors, order, pointers and text.

import Basics
import Testing

struct JSONValueTests {
    let push: JSONValue = [
        "aps": ["alert": ["title": "Hi", "body": "there"], "badge": 3, "volume": 0.5, "mutable": true, "none": nil],
        "list": [1, 2.5, "three", false, nil, []],
    ]

    @Test func literalsMakeWhatTheySayInOrder() {
        #expect(
            push.text == #"{"aps":{"alert":{"title":"Hi","body":"there"},"badge":3,"volume":0.5,"mutable":true,"#
                + #""none":null},"list":[1,2.5,"three",false,null,[]]}"#)
    }

    @Test func accessorsGiveTheValueOfTheirKindAndNilForOthers() {
        let aps = push["aps"]
        #expect(aps?["badge"]?.int == 3)
        #expect(aps?["badge"]?.double == 3)
        #expect(aps?["volume"]?.double == 0.5)
        #expect(aps?["volume"]?.int == nil)
        #expect(aps?["mutable"]?.bool == true)
        #expect(aps?["none"]?.isNull == true)
        #expect(aps?["alert"]?["title"]?.string == "Hi")
        #expect(aps?["alert"]?.string == nil)
        #expect(push["list"]?.array?.count == 6)
        #expect(push["list"]?["aps"] == nil)
        #expect(push["aps"]?.object?.keys == ["alert", "badge", "volume", "mutable", "none"])
    }

    @Test func membersAreReplacedInPlaceAppendedAndRemoved() {
        var object: JSONObject = ["a": 1, "b": 2]
        object["c"] = 3
        object["a"] = "new"
        object["b"] = nil
        object["missing"] = nil
        #expect(JSONValue.object(object).text == #"{"a":"new","c":3}"#)
    }

    @Test func aLargeObjectFindsReplacesAndRemovesItsMembersAsASmallOneDoes() {
        var object = JSONObject()
        for number in 0..<1_000 { object["key\(number)"] = .integer(Int64(number)) }
        for number in stride(from: 0, to: 1_000, by: 2) { object["key\(number)"] = nil }
        object["key1"] = "one"
        #expect(object.count == 500)
        #expect(object["key1"]?.string == "one")
        #expect(object["key2"] == nil)
        #expect(object["key999"] == 999)
        #expect(object.keys.first == "key1" && object.keys.last == "key999")
    }

    @Test func objectsAreEqualInWhateverOrderArraysAreNot() {
        #expect(["a": 1, "b": 2] as JSONValue == ["b": 2, "a": 1])
        #expect((["a": 1, "b": 2] as JSONValue).hashValue == (["b": 2, "a": 1] as JSONValue).hashValue)
        #expect(["a": 1, "b": 2] as JSONValue != ["a": 1, "b": 3])
        #expect(["a": 1] as JSONValue != ["b": 1])
        #expect([1, 2] as JSONValue != [2, 1])
    }

    @Test func keysAreToldApartByTheirBytes() throws {
        let object = try #require(try JSONValue(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}").object)
        #expect(object.count == 2)
        #expect(object["e\u{301}"] == 2)
    }

    @Test(
        arguments: [
            ("", nil), ("/foo", #"["bar","baz"]"#), ("/foo/0", #""bar""#), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"),
            ("/m~0n", "8"), ("/foo/1", #""baz""#), ("/ ", "7"),
        ] as [(String, String?)])
    func pointersOfRFC6901LeadToTheirValues(pointer: String, text: String?) throws {
        let document = try JSONValue(parsing: #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2," ":7,"m~n":8}"#)
        #expect(document.at(pointer: pointer)?.text == text ?? document.text)
    }

    @Test(arguments: ["foo", "/foo/2", "/foo/-", "/foo/01", "/foo/x", "/foo/0/x", "/none", "/m~2n", "/m~", "/foo/+1"])
    func pointersToNothingGiveNil(pointer: String) throws {
        let document = try JSONValue(parsing: #"{"foo":["bar","baz"],"m~n":8}"#)
        #expect(document.at(pointer: pointer) == nil)
    }

    @Test(
        arguments: [
            (.number(1), "1.0"), (.number(0.1), "0.1"), (.number(-0.0), "-0.0"), (.number(1e300), "1e+300"),
            (.number(.leastNonzeroMagnitude), "5e-324"), (.number(.infinity), "null"), (.number(.nan), "null"),
            (.integer(.min), "-9223372036854775808"), (.string("a\"\\/\n\r\t\u{8}\u{C}\u{1}\u{7F}é😀"), nil),
        ] as [(JSONValue, String?)])
    func valuesAreWrittenSoThatTheyReadBackTheSame(value: JSONValue, text: String?) throws {
        if let text { #expect(value.text == text) }
        if value.text != "null" { #expect(try JSONValue(parsing: value.text) == value) }
    }

    @Test func stringsAreEscapedWhereTheyMustBeAndOnlyThere() {
        let value = JSONValue.string("a\"\\/\n\r\t\u{8}\u{C}\u{1}\u{1F}\u{7F}é😀")
        #expect(value.text == "\"a\\\"\\\\/\\n\\r\\t\\b\\f\\u0001\\u001f\u{7F}é😀\"")
    }

    @Test func randomDoublesReadBackToTheBit() throws {
        var generator = Seed(6).generator()
        for _ in 0..<2_000 {
            let value = Double(bitPattern: generator.next())
            guard value.isFinite else { continue }
            #expect(try JSONValue(parsing: JSONValue.number(value).text) == .number(value))
        }
    }

    @Test func prettyTextIsIndentedAndEmptyContainersStayShort() {
        let value: JSONValue = ["a": [1, ["b": nil]], "c": [], "d": [:]]
        let expected = """
            {
              "a": [
                1,
                {
                  "b": null
                }
              ],
              "c": [],
              "d": {}
            }
            """
        #expect(value.encoded(pretty: true) == Array(expected.utf8))
    }
}
