// OpenSSL's error queue: cleared before a call, drained after a failure.

import COpenSSL

enum TLSErrors {
    static func clear() { ERR_clear_error() }

    /// Empties the queue and tells its entries, oldest first.
    static func drain() -> String {
        var reasons: [String] = []
        while case let code = ERR_get_error(), code != 0 {
            if let reason = ERR_reason_error_string(code) { reasons.append(String(cString: reason)) }
        }
        return reasons.isEmpty ? "unknown reason" : reasons.joined(separator: ", ")
    }
}
