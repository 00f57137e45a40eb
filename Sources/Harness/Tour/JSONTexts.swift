// The texts and all values of a JSON value, each with the pointer that leads to it.

import Basics

extension JSONValue {
    /// Itself and all that is within, in its order, with JSON pointers.
    var nodes: [(pointer: String, value: JSONValue)] {
        let own: [(pointer: String, value: JSONValue)] = [("", self)]
        switch self {
        case .object(let object):
            return own + object.flatMap { key, inner in
                let step = "/" + key.replacing("~", with: "~0").replacing("/", with: "~1")
                return inner.nodes.map { (step + $0.pointer, $0.value) }
            }
        case .array(let items):
            return own + items.enumerated().flatMap { place, inner in inner.nodes.map { ("/\(place)" + $0.pointer, $0.value) } }
        default: return own
        }
    }

    /// Texts in the order of the value, with JSON pointers (RFC 6901).
    var texts: [(pointer: String, text: String)] {
        switch self {
        case .string(let text): [("", text)]
        case .object(let object):
            object.flatMap { key, inner in
                let step = "/" + key.replacing("~", with: "~0").replacing("/", with: "~1")
                return inner.texts.map { (step + $0.pointer, $0.text) }
            }
        case .array(let items):
            items.enumerated().flatMap { place, inner in inner.texts.map { ("/\(place)" + $0.pointer, $0.text) } }
        default: []
        }
    }
}
