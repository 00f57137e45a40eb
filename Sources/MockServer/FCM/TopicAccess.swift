// What the credentials of a request about topics allow.

import Basics
import FCM
import HTTP
import Net

struct TopicAccess {
    private let demandsToken: Bool
    /// What the access token allows; nil: there is none that is good.
    private let grant: AccessGrant?
    /// Why there is none, as sends are told it (docs/fcm.md §3).
    private let objection: FCMReason?
    /// It says as what Instance ID is to read its credentials.
    let isOfInstanceID: Bool

    init(_ exchange: ServerExchange, _ shared: FCMShared, now: WallTime) {
        let head = exchange.head
        isOfInstanceID = head.index(of: "access_token_auth").map { head.value(at: $0).equals("true") } ?? false
        demandsToken = shared.settings.demandsAccessToken
        guard demandsToken else {
            grant = AccessGrant(project: Array(FCMIdentity.project.utf8), expiresAt: now, maySend: true)
            objection = nil
            return
        }
        guard let field = head.index(of: "authorization"), let start = BearerText.start(head.value(at: field)) else {
            (grant, objection) = (nil, .credentialsMissing)
            return
        }
        let value = head.value(at: field)
        let found = shared.access.grant(of: value.extracting(start..<value.count))
        objection = found.map { now >= $0.expiresAt ? .accessTokenExpired : $0.maySend ? nil : .scopeInsufficient }
            ?? .invalidCredentials
        grant = objection == nil ? found : nil
    }

    /// Whose access token it is.
    var project: String? { grant.map { String(decoding: $0.project, as: UTF8.self) } }

    /// Why FCM v1 does not serve it for that project; nil: it does.
    func refusal(of project: String) -> FCMReason? {
        guard demandsToken else { return nil }
        guard let grant else { return objection }
        return grant.project == Array(project.utf8) ? nil : .iamPermissionDenied
    }
}
