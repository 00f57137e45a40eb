// The forms of a value, made when a file is read so that a request only copies bytes.

package import Basics

extension VariableValue {
    package static let null = VariableValue(json: .null)

    package init(text: String) { self.init(json: .string(text)) }

    /// Text keeps its own bytes as `raw`; every other kind has its compact JSON there, null has nothing.
    package init(json: JSONValue) {
        isNull = json.isNull
        raw = json.string.map { Array($0.utf8) } ?? (json.isNull ? [] : json.encoded())
        jsonValue = json.encoded()
        jsonString = TemplateEncoding.jsonString.encode(raw)
        url = TemplateEncoding.url.encode(raw)
    }
}

extension TemplateEncoding {
    fileprivate func encode(_ bytes: [UInt8]) -> [UInt8] {
        let buffer = ByteBuffer()
        append(bytes.span, into: buffer)
        return buffer.array()
    }
}
