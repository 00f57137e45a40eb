// `{"reset-stream": true}` or `{"reset-stream": {"code": "INTERNAL_ERROR", "after": "headers"}}`: RST_STREAM in place of
// the answer, or right after its HEADERS. REFUSED_STREAM, the default, says that the push was not processed.

import Basics

extension ActionRow {
    static let resetStream = ActionRow(
        4, "reset-stream", "RST_STREAM in place of the answer, or after its HEADERS.",
        """
        `code` is a name of RFC 9113 §7 or a number; REFUSED_STREAM, the default, says that the push was not
        processed and may be sent again. {"after": "headers"}: HEADERS with status 200 come first, and the push has
        reached its device.
        """,
        example: #"{"code": "REFUSED_STREAM"}"#,
        rule: #"{"action": {"reset-stream": {"code": "INTERNAL_ERROR", "after": "headers"}}}"#,
        keys: ["code", "after"],
        hearing: .end,
        fate: { action, _ in
            if case .resetStream(_, afterHeaders: true) = action { .processed } else { .dropped }
        }
    ) { value, pointer, keys throws(FaultRuleError) in
        guard value != true else { return .resetStream(code: ErrorCode.refusedStream, afterHeaders: false) }
        let object = try ObjectReader(value, at: pointer, keys: keys)
        return .resetStream(
            code: try object.errorCode("code") ?? ErrorCode.refusedStream,
            afterHeaders: try object.word("after", of: ["headers"]) != nil)
    } write: { action in
        guard case .resetStream(let code, let afterHeaders) = action else { return nil }
        var object: JSONObject = ["code": ErrorCode.json(code)]
        if afterHeaders { object["after"] = "headers" }
        return .object(object)
    }
}
