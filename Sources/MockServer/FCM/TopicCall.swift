// Subscriptions to topics over the wire: FCM v1's API and that of Instance ID (docs/fcm.md §1, §3), at the port of sends.

import Basics
import Devices
import FCM
import Faults
import HTTP
import Journal
import Net
import Pushes

/// One request about topics.
struct TopicCall: EndpointCall {
    private let shared: FCMShared
    private let request: TopicRequest
    private let now: WallTime
    private var batch: TopicBatch?
    private var imports: ImportBatch?
    private var project: String
    /// As sent, with its query.
    private let path: String
    private(set) var refusal: GoogleAnswer?

    /// Nil: the path is another one.
    init?(_ exchange: ServerExchange, _ shared: FCMShared, now: WallTime) {
        let head = exchange.head
        guard let method = head.index(of: ":method"), let field = head.index(of: ":path") else { return nil }
        path = head.value(at: field).text
        guard let request = TopicRequest(method: head.value(at: method).text, path: path) else { return nil }
        self.shared = shared
        self.request = request
        self.now = now
        let access = TopicAccess(exchange, shared, now: now)
        switch request {
        case .batch, .importing, .relate, .info:
            project = access.project ?? ""
            guard access.isOfInstanceID, access.project != nil else {
                refusal = .unauthorized
                return
            }
            let body = exchange.body
            guard body.count <= FrontEnd.largestBody else {
                refusal = .ofInstanceID(400, "RequestTooLarge")
                return
            }
            do throws(TopicBatchError) {
                switch request {
                case .batch: batch = try TopicBatch(body.bytes)
                case .importing: imports = try ImportBatch(body.bytes)
                default: break
                }
            } catch {
                refusal = .ofInstanceID(400, error.word)
            }
        case .subscribe(let asked, _, _), .patch(let asked, _, _, _), .unsubscribe(let asked, _, _, _), .read(let asked, _, _),
            .list(let asked, _, _, _), .misfit(let asked, _, _):
            project = asked
            refusal = nil
            refusal = objection(to: AnswerParameters(path: head.value(at: field)), exchange.body, access)
        }
    }

    /// Of FCM v1, in the order of sends.
    private func objection(to form: AnswerParameters, _ body: ByteBuffer, _ access: TopicAccess) -> GoogleAnswer? {
        if let objection = form.objection { return told(.invalidJSON, [objection]) }
        if let reason = access.refusal(of: project) { return told(reason) }
        switch request {
        case .misfit(_, _, let violation): return told(.invalidJSON, [violation])
        case .subscribe, .patch: break
        default: return nil
        }
        guard body.count <= FCMValidator.largestBody else { return told(.payloadTooLarge) }
        let violations = TopicRequest.violations(ofBody: body.bytes)
        return violations.isEmpty ? nil : told(.invalidJSON, violations)
    }

    private func told(_ reason: FCMReason, _ violations: [FieldViolation] = []) -> GoogleAnswer {
        .elsewhere(reason, project: project, violations: violations, path: path)
    }

    // MARK: What faults and the journal see

    var endpoint: FaultEndpoint { .topic }
    var kind: NoteKind { .topic }
    var record: JSONObject { ["asked": .string(words)] }

    var registration: String {
        switch request {
        case .subscribe(_, let registration, _), .patch(_, let registration, _, _), .unsubscribe(_, let registration, _, _),
            .read(_, let registration, _), .list(_, let registration, _, _), .misfit(_, let registration, _),
            .relate(let registration, _), .info(let registration, _):
            registration
        case .batch: batch.flatMap { $0.tokens.count == 1 ? $0.tokens[0] : nil } ?? ""
        case .importing: ""
        }
    }

    var topic: String {
        switch request {
        case .subscribe(_, _, let topic), .patch(_, _, let topic, _), .unsubscribe(_, _, let topic, _), .read(_, _, let topic),
            .relate(_, let topic):
            topic
        case .batch: batch?.topic ?? ""
        case .list, .misfit, .info, .importing: ""
        }
    }

    private var isOfInstanceID: Bool {
        switch request {
        case .batch, .importing, .relate, .info: true
        case .subscribe, .patch, .unsubscribe, .read, .list, .misfit: false
        }
    }

    private var words: String {
        switch request {
        case .subscribe: "subscribe"
        case .patch: "patch"
        case .unsubscribe: "unsubscribe"
        case .read: "read"
        case .list: "list"
        case .misfit: "nothing that can be done"
        case .batch(let isAdding): isAdding ? "batchAdd" : "batchRemove"
        case .importing: "batchImport"
        case .relate: "relate"
        case .info: "info"
        }
    }

    /// Instance ID tells whole errors by one word, and those of credentials by a page; v1 by Google's envelope.
    func refuse(_ reason: NamedReason) -> GoogleAnswer {
        let told = FCMReason(reason) ?? .internal
        guard isOfInstanceID, told != .badGateway, told != .notFound, let word = reason.row.instanceIDWord else {
            return self.told(told)
        }
        return reason.status == 401 ? .unauthorized : .ofInstanceID(Int(reason.status), word.description)
    }

    // MARK: What is done

    func act() -> GoogleAnswer { isOfInstanceID ? instanceID() : v1() }

    private func v1() -> GoogleAnswer {
        switch request {
        case .subscribe(_, let registration, let topic):
            if let refusal = standing(registration) { return told(refusal) }
            return subscribe(registration, topic) ?? Self.exists
        case .patch(_, let registration, let topic, let mayBeMissing):
            if let refusal = standing(registration) { return told(refusal) }
            if let row = row(registration, topic) { return GoogleAnswer(200, value(registration, row)) }
            guard mayBeMissing else { return missing }
            return subscribe(registration, topic) ?? row(registration, topic).map { GoogleAnswer(200, value(registration, $0)) }
                ?? missing
        case .unsubscribe(_, let registration, let topic, let mayBeMissing):
            if let refusal = standing(registration) { return told(refusal) }
            let wasThere = shared.subscriptions.unsubscribe(registration, from: topic, project: project)
            return wasThere || mayBeMissing ? GoogleAnswer(200, [:]) : missing
        case .read(_, let registration, let topic):
            if let refusal = standing(registration) { return told(refusal) }
            return row(registration, topic).map { GoogleAnswer(200, value(registration, $0)) } ?? missing
        case .list(_, let registration, let size, let start):
            if let refusal = standing(registration) { return told(refusal) }
            let rows = shared.subscriptions.subscriptions(of: registration)
            let page = rows[min(start, rows.count)...].prefix(size)
            var object: JSONObject = ["topicSubscriptions": .array(page.map { value(registration, $0) })]
            if page.endIndex < rows.count { object["nextPageToken"] = .string(String(page.endIndex)) }
            return GoogleAnswer(200, .object(object))
        case .misfit: preconditionFailure("what does not fit is refused")
        case .batch, .importing, .relate, .info: preconditionFailure("asked of Instance ID")
        }
    }

    /// Nil: it listens already.
    private func subscribe(_ registration: String, _ topic: String) -> GoogleAnswer? {
        guard hasRoom else {
            var answer = told(.topicQuotaExceeded)
            answer.isAboutQuota = true
            return answer
        }
        do throws(SubscriptionTrouble) {
            let isNew = try shared.subscriptions.subscribe(registration, to: topic, project: project, now: now)
            return isNew ? GoogleAnswer(200, value(registration, Subscription(topic: topic, since: now))) : nil
        } catch {
            return told(error == .tooManyTopics ? .topicQuotaExceeded : .invalidTopic)
        }
    }

    private func row(_ registration: String, _ topic: String) -> Subscription? {
        shared.subscriptions.subscriptions(of: registration).first { $0.topic == topic }
    }

    /// The registration lives and does not listen: whoever deletes it for that is wrong (F2).
    private var missing: GoogleAnswer {
        guard shared.settings.missingSubscription == .bare else { return told(.unregistered) }
        return GoogleAnswer(
            404, ["error": ["code": 404, "message": "Requested entity was not found.", "status": "NOT_FOUND"]])
    }

    private static var exists: GoogleAnswer {
        GoogleAnswer(
            409, ["error": ["code": 409, "message": "Requested entity already exists", "status": "ALREADY_EXISTS"]])
    }

    private func value(_ registration: String, _ row: Subscription) -> JSONValue {
        [
            "name": .string("projects/\(project)/registrations/\(registration)/topicSubscriptions/\(row.topic)"),
            "topicName": .string(row.topic), "createTime": .string(row.since.iso8601),
        ]
    }

    /// Why a registration is not served; nil: it is.
    private func standing(_ registration: String) -> FCMReason? {
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

    private func instanceID() -> GoogleAnswer {
        switch request {
        case .batch(let isAdding):
            guard let batch else { preconditionFailure("what cannot be read is refused") }
            let results = batch.tokens.map { result($0, batch.topic, isAdding: isAdding) }
            return .ofInstanceID(200, ["results": .array(results)])
        case .importing:
            guard let imports else { preconditionFailure("what cannot be read is refused") }
            return .ofInstanceID(200, ["results": .array(imports.tokens.map { imported($0, imports.application) })])
        case .relate(let registration, let topic):
            let value = result(registration, topic, isAdding: true)
            guard let error = value["error"]?.string else { return .ofInstanceID(200, [:]) }
            return .ofInstanceID(error == "NOT_FOUND" ? 404 : error == "RESOURCE_EXHAUSTED" ? 429 : 400, error)
        case .info(let registration, let hasDetails):
            guard standing(registration) == nil else {
                return .ofInstanceID(404, "No information found about this instance id.")
            }
            var object: JSONObject = [
                "application": "com.example.app", "authorizedEntity": .string(project),
                "platform": .string(platform(of: registration)),
            ]
            if hasDetails {
                var topics = JSONObject()
                for row in shared.subscriptions.subscriptions(of: registration) {
                    topics[row.topic] = ["addDate": .string(String(row.since.iso8601.prefix(10)))]
                }
                object["rel"] = ["topics": .object(topics)]
            }
            return .ofInstanceID(200, .object(object))
        case .subscribe, .patch, .unsubscribe, .read, .list, .misfit: preconditionFailure("asked of FCM v1")
        }
    }

    private func result(_ registration: String, _ topic: String, isAdding: Bool) -> JSONValue {
        switch standing(registration) {
        case nil: break
        case .invalidRegistrationToken?: return ["error": "INVALID_ARGUMENT"]
        case .senderIDMismatch?: return ["error": "PERMISSION_DENIED"]
        default: return ["error": "NOT_FOUND"]
        }
        guard isAdding else {
            _ = shared.subscriptions.unsubscribe(registration, from: topic, project: project)
            return [:]
        }
        guard hasRoom else { return ["error": "RESOURCE_EXHAUSTED"] }
        do throws(SubscriptionTrouble) {
            _ = try shared.subscriptions.subscribe(registration, to: topic, project: project, now: now)
            return [:]
        } catch {
            return ["error": .string(error.rawValue)]
        }
    }

    private var hasRoom: Bool { withBytes(of: project) { shared.quotas.takeSubscription(of: $0, now: now) } }

    private func platform(of registration: String) -> String {
        (shared.registrations.record(of: registration, now: now)?.platform ?? .android).rawValue.uppercased()
    }

    /// The same token of APNs of the same app is always given the same registration.
    private func imported(_ token: String, _ application: String) -> JSONValue {
        guard withBytes(of: token, { Hash128(checking: $0) }) != nil else {
            return ["apns_token": .string(token), "status": "INVALID_ARGUMENT"]
        }
        let name = withBytes(of: "\(project)/\(application)/\(token.lowercased())") { Hash128(hashing: $0) }
        let text = String(name.high, radix: 36) + ":APA91b" + String(name.low, radix: 36)
        if shared.registrations.record(of: text, now: now) == nil {
            let record = RegistrationRecord(token: text, project: project, state: .active, platform: .ios)
            shared.registrations.set(record, now: now)
        }
        return ["registration_token": .string(text), "apns_token": .string(token), "status": "OK"]
    }
}

extension GoogleAnswer {
    /// Of Instance ID, which tells what is wrong with the whole by one text and no envelope.
    fileprivate static func ofInstanceID(_ status: Int, _ word: String) -> GoogleAnswer {
        ofInstanceID(status, ["error": .string(word)])
    }

    /// In one line, as its answers are printed (docs/fcm.md §1, §3).
    fileprivate static func ofInstanceID(_ status: Int, _ value: JSONValue) -> GoogleAnswer {
        GoogleAnswer(status, body: value.text)
    }

    /// Instance ID's page for what it does not let in.
    fileprivate static var unauthorized: GoogleAnswer {
        let page = """
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
        var answer = GoogleAnswer(401, body: page)
        answer.contentType = "text/html; charset=UTF-8"
        return answer
    }
}
