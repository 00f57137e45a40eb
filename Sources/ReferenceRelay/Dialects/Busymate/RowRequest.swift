// A request of PostgREST's kind: filters `column=eq.value` and `column=in.(a,b)`, `select`, the header `Prefer`, and a body
// of one row or of several.

import Basics
import HTTP
import Net

struct RowRequest {
    let caller: Caller
    let method: String
    private let query: [(name: String, value: String)]
    private let prefer: String
    private let body: ByteBuffer

    init(_ exchange: ServerExchange) throws {
        caller = try Caller(exchange.head)
        method = exchange.head.text(":method") ?? ""
        prefer = exchange.head.text("prefer") ?? ""
        body = exchange.body
        query = Self.query(of: exchange)
    }

    static func query(of exchange: ServerExchange) -> [(name: String, value: String)] {
        guard let path = exchange.head.text(":path"), let mark = path.firstIndex(of: "?") else { return [] }
        return path[path.index(after: mark)...].split(separator: "&").map { field in
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(parts[0]), parts.count == 2 ? decoded(parts[1]) : "")
        }
    }

    /// Without its percent signs; what is wrong about them stays as it is.
    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let value = byte == UInt8(ascii: "%") ? Hex.decode(String(decoding: rest.prefix(2), as: UTF8.self)) : nil
            if let value, value.count == 1 {
                bytes += value
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: - What is asked

    /// `Prefer: resolution=merge-duplicates`: a row that is there already is written over.
    var mergesDuplicates: Bool { prefer.contains("resolution=merge-duplicates") }
    /// `Prefer: return=representation`: the rows come back.
    var wantsRows: Bool { prefer.contains("return=representation") }

    /// The columns of `select`; nil: all.
    var columns: [String]? {
        guard let select = query.first(where: { $0.name == "select" })?.value, select != "*" else { return nil }
        return select.split(separator: ",").map(String.init)
    }

    /// The values that a column may have; nil: any.
    func values(of column: String) throws(RowError) -> [String]? {
        guard let text = query.first(where: { $0.name == column })?.value else { return nil }
        if text.hasPrefix("eq.") { return [String(text.dropFirst(3))] }
        guard text.hasPrefix("in.("), text.hasSuffix(")") else { throw .badFilter }
        return text.dropFirst(4).dropLast().split(separator: ",").map(String.init)
    }

    /// The devices of `device_uuid`; nil: all.
    func devices() throws(RowError) -> [DeviceID]? {
        guard let texts = try values(of: "device_uuid") else { return nil }
        var devices: [DeviceID] = []
        for text in texts {
            guard let device = DeviceID(text) else { throw .badUUID(text) }
            devices.append(device)
        }
        return devices
    }

    /// The body's rows: an object, or a list of them.
    func rows() throws(RowError) -> [JSONObject] {
        guard let value = try? JSONValue(parsing: body.bytes, maxDepth: 16) else { throw .badBody }
        if let row = value.object { return [row] }
        guard let list = value.array else { throw .badBody }
        var rows: [JSONObject] = []
        for item in list {
            guard let row = item.object else { throw .badBody }
            rows.append(row)
        }
        return rows
    }
}

extension JSONObject {
    /// The device that a row names.
    func device(of table: String) throws(RowError) -> DeviceID {
        guard let text = self["device_uuid"]?.string else { throw .missing("device_uuid", of: table) }
        guard let device = DeviceID(text) else { throw .badUUID(text) }
        return device
    }
}
