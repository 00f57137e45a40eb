// Subscriptions to topics over the wire: FCM v1's API and that of Instance ID (spec/fcm.md §1.1, §3.5), at the port of sends.

import Basics
import Devices
import FCM
import HTTP
import Journal
import Net
import Pushes

/// Confined to its loop.
final class TopicEndpoint {
    private let core: PipelineCore
    private let shared: FCMShared

    init(core: PipelineCore, shared: FCMShared) {
        self.core = core
        self.shared = shared
    }

    /// Nil: the path is another one.
    static func request(_ exchange: ServerExchange) -> TopicRequest? {
        let head = exchange.head
        guard let method = head.index(of: ":method"), let path = head.index(of: ":path") else { return nil }
        return TopicRequest(method: head.value(at: method).text, path: head.value(at: path).text)
    }

    func answer(_ request: TopicRequest, _ exchange: ServerExchange, now: WallTime) {
        let reply = reply(to: request, exchange, now: now)
        core.note(
            .topic, exchange.connection, ["asked": .string(words(of: request)), "status": .integer(Int64(reply.status))])
        GoogleFields.append(to: exchange)
        exchange.responseHead.append("content-type", reply.contentType)
        exchange.respond(status: reply.status, body: Array(reply.body.utf8))
        core.finish()
    }

    private struct Reply {
        var status: Int
        var body: String
        var contentType = "application/json; charset=UTF-8"

        init(_ status: Int, _ value: JSONValue) {
            self.status = status
            body = String(decoding: value.encoded(pretty: true), as: UTF8.self) + "\n"
        }

        init(_ reason: FCMReason, project: String) {
            status = Int(reason.status)
            body = ErrorBody.text(of: reason, project: project)
            contentType = ErrorBody.contentType(of: reason).description
        }

        /// Instance ID's page for what it does not let in.
        static var unauthorized: Reply {
            var reply = Reply(401, .null)
            reply.contentType = "text/html; charset=UTF-8"
            reply.body = """
                <HTML>
                <HEAD>
                <TITLE>Unauthorized</TITLE>
                </HEAD>
                <BODY BGCOLOR="#FFFFFF" TEXT="#000000">
                <H1>Unauthorized</H1>
                <H2>Error 401</H2>
                </BODY>
                </HTML>

                """
            return reply
        }
    }

    private func reply(to request: TopicRequest, _ exchange: ServerExchange, now: WallTime) -> Reply {
        switch request {
        case .batch, .relate, .info: return instanceID(request, exchange, now: now)
        case .subscribe(let project, _, _), .unsubscribe(let project, _, _, _), .read(let project, _, _),
            .list(let project, _, _, _):
            if let refusal = refusal(exchange, project: project, now: now) { return Reply(refusal, project: project) }
            return v1(request, project, now: now)
        }
    }

    // MARK: FCM v1

    private func v1(_ request: TopicRequest, _ project: String, now: WallTime) -> Reply {
        let book = shared.subscriptions
        switch request {
        case .subscribe(_, let registration, let topic):
            if let refusal = standing(registration, project, now) { return Reply(refusal, project: project) }
            guard hasRoom(project, now) else { return Reply(.topicQuotaExceeded, project: project) }
            do throws(SubscriptionTrouble) {
                let isNew = try book.subscribe(registration, to: topic, project: project, now: now)
                guard isNew else { return Self.exists }
                return Reply(200, value(project, registration, Subscription(topic: topic, since: now)))
            } catch {
                return Reply(error == .tooManyTopics ? .topicQuotaExceeded : .invalidTopic, project: project)
            }
        case .unsubscribe(_, let registration, let topic, let mayBeMissing):
            if let refusal = standing(registration, project, now) { return Reply(refusal, project: project) }
            let wasThere = book.unsubscribe(registration, from: topic, project: project)
            return wasThere || mayBeMissing ? Reply(200, [:]) : Reply(.unregistered, project: project)
        case .read(_, let registration, let topic):
            guard let row = book.subscriptions(of: registration).first(where: { $0.topic == topic }) else {
                return Reply(.unregistered, project: project)
            }
            return Reply(200, value(project, registration, row))
        case .list(_, let registration, let size, let after):
            if let refusal = standing(registration, project, now) { return Reply(refusal, project: project) }
            let rows = book.subscriptions(of: registration)
            let start = after.flatMap { Int($0) }.map { min(max($0, 0), rows.count) } ?? 0
            let page = rows[start...].prefix(size)
            var object: JSONObject = [
                "topicSubscriptions": .array(page.map { value(project, registration, $0) })
            ]
            if page.endIndex < rows.count { object["nextPageToken"] = .string(String(page.endIndex)) }
            return Reply(200, .object(object))
        case .batch, .relate, .info: preconditionFailure("asked of Instance ID")
        }
    }

    private static var exists: Reply {
        Reply(
            409,
            [
                "error": [
                    "code": 409, "message": "Requested entity already exists", "status": "ALREADY_EXISTS",
                ]
            ])
    }

    private func value(_ project: String, _ registration: String, _ row: Subscription) -> JSONValue {
        [
            "name": .string("projects/\(project)/registrations/\(registration)/topicSubscriptions/\(row.topic)"),
            "topicName": .string(row.topic), "createTime": .string(row.since.iso8601),
        ]
    }

    /// Why a registration is not served; nil: it is.
    private func standing(_ registration: String, _ project: String, _ now: WallTime) -> FCMReason? {
        withBytes(of: registration) { token -> FCMReason? in
            guard RegistrationForm.isToken(token) || RegistrationForm.isInstallation(token) else {
                return .invalidRegistrationToken
            }
            return withBytes(of: project) { project -> FCMReason? in
                let hash = Hash128(hashing: token)
                switch shared.registrations.standing(of: token, hash: hash, project: project, now: now) {
                case .active: return nil
                case .unregistered: return .unregistered
                case .ofOtherProject: return .senderIDMismatch
                }
            }
        }
    }

    // MARK: Instance ID

    private func instanceID(_ request: TopicRequest, _ exchange: ServerExchange, now: WallTime) -> Reply {
        let head = exchange.head
        let saysSo = head.index(of: "access_token_auth").map { head.value(at: $0).equals("true") } ?? false
        guard saysSo, let project = grant(exchange, now: now).map({ String(decoding: $0.project, as: UTF8.self) }) else {
            return .unauthorized
        }
        switch request {
        case .batch(let isAdding):
            do throws(TopicBatchError) {
                let body = exchange.body
                let batch = try TopicBatch(body.bytes)
                let results = batch.tokens.map { result($0, batch.topic, project, isAdding: isAdding, now: now) }
                return Reply(200, ["results": .array(results)])
            } catch {
                return Reply(400, ["error": .string(error.word)])
            }
        case .relate(let registration, let topic):
            let value = result(registration, topic, project, isAdding: true, now: now)
            guard let error = value["error"]?.string else { return Reply(200, [:]) }
            let status = error == "NOT_FOUND" ? 404 : error == "RESOURCE_EXHAUSTED" ? 429 : 400
            return Reply(status, ["error": .string(error)])
        case .info(let registration, let hasDetails):
            guard standing(registration, project, now) == nil else {
                return Reply(404, ["error": "No information found about this instance id."])
            }
            var object: JSONObject = [
                "application": "com.example.app", "authorizedEntity": .string(project),
                "platform": .string(platform(registration, now)),
            ]
            if hasDetails {
                var topics = JSONObject()
                for row in shared.subscriptions.subscriptions(of: registration) {
                    topics[row.topic] = ["addDate": .string(String(row.since.iso8601.prefix(10)))]
                }
                object["rel"] = ["topics": .object(topics)]
            }
            return Reply(200, .object(object))
        default: preconditionFailure("asked of FCM v1")
        }
    }

    private func result(
        _ registration: String, _ topic: String, _ project: String, isAdding: Bool, now: WallTime
    ) -> JSONValue {
        switch standing(registration, project, now) {
        case nil: break
        case .invalidRegistrationToken?: return ["error": "INVALID_ARGUMENT"]
        case .senderIDMismatch?: return ["error": "PERMISSION_DENIED"]
        default: return ["error": "NOT_FOUND"]
        }
        guard isAdding else {
            _ = shared.subscriptions.unsubscribe(registration, from: topic, project: project)
            return [:]
        }
        guard hasRoom(project, now) else { return ["error": "RESOURCE_EXHAUSTED"] }
        do throws(SubscriptionTrouble) {
            _ = try shared.subscriptions.subscribe(registration, to: topic, project: project, now: now)
            return [:]
        } catch {
            return ["error": .string(error.rawValue)]
        }
    }

    private func hasRoom(_ project: String, _ now: WallTime) -> Bool {
        withBytes(of: project) { shared.quotas.takeSubscription(of: $0, now: now) }
    }

    private func platform(_ registration: String, _ now: WallTime) -> String {
        (shared.registrations.record(of: registration, now: now)?.platform ?? .android).rawValue.uppercased()
    }

    // MARK: Credentials

    private func refusal(_ exchange: ServerExchange, project: String, now: WallTime) -> FCMReason? {
        guard shared.settings.demandsAccessToken else { return nil }
        guard exchange.head.index(of: "authorization") != nil else { return .credentialsMissing }
        guard let grant = grant(exchange, now: now) else { return .invalidCredentials }
        return grant.project == Array(project.utf8) ? nil : .iamPermissionDenied
    }

    /// What the access token allows; nil: there is none that is good.
    private func grant(_ exchange: ServerExchange, now: WallTime) -> AccessGrant? {
        guard shared.settings.demandsAccessToken else {
            return AccessGrant(project: Array(FCMIdentity.project.utf8), expiresAt: now, maySend: true)
        }
        let head = exchange.head
        guard let field = head.index(of: "authorization") else { return nil }
        let value = head.value(at: field)
        guard let start = BearerText.start(value), let grant = shared.access.grant(of: value.extracting(start..<value.count)),
            now < grant.expiresAt, grant.maySend
        else { return nil }
        return grant
    }

    private func words(of request: TopicRequest) -> String {
        switch request {
        case .subscribe: "subscribe"
        case .unsubscribe: "unsubscribe"
        case .read: "read"
        case .list: "list"
        case .batch(let isAdding): isAdding ? "batchAdd" : "batchRemove"
        case .relate: "relate"
        case .info: "info"
        }
    }
}
