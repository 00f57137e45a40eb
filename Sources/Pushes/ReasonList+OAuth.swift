// Why the token endpoint of FCM gives no access token: OAuth's words of errors (RFC 6749 §5.2) and Google's own, of which
// clients try the last three again (docs/fcm.md §1.3).

extension ReasonList {
    static let tokenRows: [ReasonRow] = [
        ReasonRow("invalid_request", 400, "A parameter is missing, or the body is no form."),
        ReasonRow(
            "invalid_grant", 400,
            "The assertion is not good: its signature, times, audience or account; also of a key that was revoked.",
            about: .sender),
        ReasonRow("invalid_scope", 400, "The assertion asks for a scope that there is not, or for none."),
        ReasonRow("unsupported_grant_type", 400, "The grant_type is not that of a signed assertion."),
        ReasonRow("invalid_client", 401, "The account was deleted, or is not known."),
        ReasonRow("unauthorized_client", 401, "The account may not ask for this scope."),
        ReasonRow("access_denied", 403, "The account is switched off."),
        ReasonRow("rate_limit_exceeded", 429, "Too many requests for access tokens: keep a token for its hour."),
        ReasonRow("internal_failure", 500, "The token endpoint failed; try again."),
        ReasonRow("server_error", 500, "The same, in OAuth's own word."),
        ReasonRow("temporarily_unavailable", 503, "The token endpoint is overloaded; try again."),
    ]
}
