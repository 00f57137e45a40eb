// Error codes of HTTP/2 (RFC 9113 §7) as rules write them: by name or as a number.

import Basics

enum ErrorCode {
    static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]
    static let refusedStream: UInt32 = 7

    static func json(_ code: UInt32) -> JSONValue {
        code < names.count ? .string(names[Int(code)]) : .integer(Int64(code))
    }
}

extension ObjectReader {
    /// Nil when absent.
    func errorCode(_ key: String) throws(FaultRuleError) -> UInt32? {
        switch self[key] {
        case nil: return nil
        case .integer(let number):
            guard let code = UInt32(exactly: number) else { throw error(key, "an error code has 32 bits") }
            return code
        case .string(let name):
            guard let code = ErrorCode.names.firstIndex(of: name) else {
                throw unknownWord(key, name, among: ErrorCode.names)
            }
            return UInt32(code)
        default: throw error(key, "an error code is a name or a number", hint: "such as REFUSED_STREAM or 7")
        }
    }
}
