// `{"reset-stream": true}` or `{"reset-stream": {"code": "INTERNAL_ERROR", "after": "headers"}}`: RST_STREAM in place of
// the answer, or right after its HEADERS. REFUSED_STREAM, the default, says that the push was not processed.

import Basics

extension ActionForm {
    static let resetStream = ActionForm(name: "reset-stream", example: #"{"code": "REFUSED_STREAM"}"#) {
        value, pointer throws(FaultRuleError) in
        guard value != true else { return .resetStream(code: ErrorCode.refusedStream, afterHeaders: false) }
        let object = try ObjectReader(value, at: pointer, keys: ["code", "after"])
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
