// The keys that each kind of mapping may have. The decoder reads no other key, and a test holds
// docs/scenario.schema.json against this table.

/// One kind of mapping.
package struct Shape: Sendable {
    package struct Key: Sendable {
        package var name: String
        package var isRequired: Bool
        /// A value that fits, for hints.
        package var example: String
    }

    /// As in the schema's `$defs`.
    package var name: String
    package var keys: [Key]

    /// Rows of key and example; a `*` after the key marks a required one.
    init(_ name: String, _ rows: KeyValuePairs<String, String>) {
        self.name = name
        keys = rows.map { row in
            let isRequired = row.key.hasSuffix("*")
            return Key(
                name: isRequired ? String(row.key.dropLast()) : row.key, isRequired: isRequired, example: row.value)
        }
    }

    func key(_ name: String) -> Key? { keys.first { $0.name == name } }
}

extension Shape {
    package static let all = [
        scenario, relay, relayTLS, ready, stop, restart, mock, clockStep, workload, users, feeder, phones, androids, arrival,
        scriptUse, fault, phases, gate,
        profile, profileCase, observer, webSocket, socketMessage, socketJoined, socketBeat, telling,
        webhooks, webhookPlace, webhookAnswer, hook, state, statePostgres, stateEndpoint,
        coalescing, dedupe, cap, deadlines, activities, activityRestart, activityEnd, schemas, pass, carried, call, capture,
        answer, retries, push, declared, pushMessage, pushHeaders, pushExpiration, pushAlert, pushDate, auth,
        authBasic, authHeader, hmac, signedTime, signedDigest, signedText, jwt, sigv4, oauth2, batch, secret, joinedSecret,
        secrets,
        session, step, arm, reaction, act, distribution, logNormal,
    ]

    static let scenario = Shape(
        "scenario",
        [
            "name": "quickstart", "extends": "../smoke.yaml", "relayFrom": "mine.yaml", "seed": "42",
            "clockScale": "1", "clock": "stepped",
            "steppedUntil": "6h48m", "latenessBudget": "10ms",
            "relay*": "{ profile: relays/opencode.yaml, url: \"http://127.0.0.1:8787\" }", "mock": "{ tokens: any }",
            "workload*": "{ arrivals: […], scripts: […] }", "faults": "[]", "phases": "{ drain: 5s }",
            "gates": "[lost == 0]", "exercises": "[throttle-respected]", "knownFailing": "[R0.9]", "strict": "true",
            "inFlightGrace": "1s", "convicts": "[keeps-dead-tokens]",
        ])

    static let relay = Shape(
        "relay",
        [
            "profile*": "relays/opencode.yaml", "with": "{ coalescing: { window: 2s } }",
            "launch": "[\"./relay\", \"--port\", \"{{relay.port}}\"]",
            "url": "http://127.0.0.1:8787", "tls": "{ ca: relay-ca.pem }", "listen": "127.0.0.1:0",
            "environment": "{ LOG: debug }",
            "ready": "{ path: /health, timeout: 15s }", "stop": "{ signal: TERM, grace: 5s }",
            "restarts": "[{ at: 20s }]", "processes": "1", "clock": "stepped", "malformed": "true",
        ])

    static let relayTLS = Shape(
        "relayTLS",
        ["ca": "relay-ca.pem", "certificate": "client.pem", "key": "client.key", "serverName": "relay.internal"])
    static let ready = Shape(
        "ready", ["path": "/health", "method": "HEAD", "status": "any", "timeout": "15s"])
    static let stop = Shape("stop", ["signal": "TERM", "grace": "5s"])
    static let restart = Shape("restart", ["at*": "20s", "signal": "KILL", "down": "1s"])

    static let mock = Shape(
        "mock",
        [
            "loops": "1", "tokens": "any", "topics": "[com.example.app]", "environment": "production",
            "settings": "{ tokenUpdateScope: connection }", "clockSkew": "-90m",
            "clockSteps": "[{ at: 20s, by: -5s }]", "state": "./mock-state",
            "apns": "127.0.0.1:2197", "sandbox": "127.0.0.1:2198", "admin": "127.0.0.1:2190", "fcm": "127.0.0.1:2199",
            "names": "[mock.test]",
        ])

    static let clockStep = Shape("clockStep", ["at*": "20s", "by*": "-5s"])

    static let workload = Shape(
        "workload",
        [
            "arrivals*": "[{ rate: 10, for: 30s }]", "scripts*": "[{ script: sessions/S0-happy.yaml }]", "pace": "1",
            "users": "{ sessionsPerUser: 1 }", "feeders": "[{ file: users.csv }]", "phones": "{ wake: 500ms }",
            "androids": "{ vendors: [xiaomi], app: killed }", "maxSessions": "1000", "connections": "256",
            "requestTimeout": "30s", "stopAfter": "2m", "spacing": "poisson", "draw": "in-turn",
            "loops": "2", "sources": "[127.0.0.2, 127.0.0.3]",
        ])

    static let feeder = Shape("feeder", ["file*": "users.csv", "take": "in-order"])
    static let users = Shape("users", ["sessionsPerUser": "1"])
    static let phones = Shape(
        "phones",
        [
            "wake": "500ms", "never": "0.36", "rotate": "3s", "ios": "\"18.0\"", "environment": "sandbox",
            "secondEnvironment": "production",
        ])
    static let androids = Shape(
        "androids",
        ["vendors": "[xiaomi, huawei]", "app": "killed", "offline": "true", "dozing": "true", "notificationsDenied": "true"])
    static let arrival = Shape(
        "arrival",
        [
            "rate": "10", "from": "10", "to": "100", "steps": "5", "of": "events", "for": "30s", "burst": "50", "every": "10s",
            "times": "6", "file": "arrivals.csv", "users": "50", "think": "2s",
        ])
    static let scriptUse = Shape(
        "scriptUse", ["script*": "sessions/S0-happy.yaml", "weight": "1", "with": "{ progressEvery: 5s }"])

    /// `at` is read here, the rest by `FaultRule`.
    static let fault = Shape(
        "fault",
        [
            "id": "dead-tokens", "at": "20s", "match": "{ pushType: liveactivity }",
            "action*": "{ respond: { reason: Unregistered } }",
            "meets": "push", "times": "3", "for": "10s", "after": "2", "per": "token", "renew": "1s",
            "windows": "{ every: 1m, for: 5s }", "until-heals": "new-connection", "ttl": "1m",
        ])

    static let gate = Shape("gate", ["gate*": "\"delivery.p99 < 1s\"", "abort": "true"])

    static let phases = Shape("phases", ["warmUp": "30s", "until": "delivery.p99 < 1s", "drain": "5s"])

    static let profile = Shape(
        "profile",
        [
            "name": "opencode", "extends": "opencode.yaml", "topic*": "com.example.app", "http": "1",
            "order": "answered", "tokens": "caller", "environments": "one", "credential": "certificate", "timeout": "60s",
            "headers": "{ accept: application/json }", "auth": "{ bearer: \"{{secret}}\" }",
            "answers": "[{ status: 429, means: throttled }]", "retries": "{ most: 3 }",
            "coalescing": "{ window: 10s }", "dedupe": "{ by: [/contentState/status], window: 30s }",
            "cap": "{ pushes: 50, per: activity }", "deadlines": "{ default: 5s }", "rest": "15m",
            "settle": "2s",
            "activities": "{ restart: { after: 6h50m } }",
            "observers": "{ dashboard: { path: /events, query: { user: \"{{secret}}\" } } }",
            "webhooks": "{ event: /type, owes: [{ call: end, event: session.ended }] }",
            "state": "{ sqlite: \"{{run.dir}}/relay.sqlite\", activity: SELECT token FROM activities }",
            "calls*": "{ health: { path: /health } }",
            "knownFailing": "[R0.9]",
            "cases": "{ pieces: { asks: \"Does what no call says stay?\", scenario: ../cases/pieces.yaml } }",
            "schemas": "{ contentState: ../schemas/opencode-a.content-state.json }",
            "passes": "[{ at: /aps/content-state, from: /contentState }]",
            "declares": "[{ channel: liveactivity, alert: absent }]",
            "truncates": "{ /aps/content-state/lastMessage: 120 }", "messageEvent": "/message/data/event",
            "carries": "{ progress: { at: /aps/content-state/progress, from: /contentState/progress } }",
        ])

    static let profileCase = Shape(
        "profileCase",
        [
            "asks*": "Does what no call says stay?", "scenario*": "../cases/pieces.yaml", "exercises": "[omitted-values-kept]",
            "profile": "opencode-phones.yaml",
        ])

    static let observer = Shape(
        "observer",
        [
            "path*": "/events", "query": "{ user: \"{{secret}}\" }", "headers": "{ accept: text/event-stream }",
            "auth": "none", "per": "user", "copies": "2", "users": "100", "event": "state-changed",
            "websocket": "{ send: [{ json: { event: subscribe } }] }",
        ])

    static let webSocket = Shape(
        "webSocket",
        [
            "protocol": "graphql-transport-ws", "send": "[{ json: { event: subscribe } }]",
            "joined": "{ at: /payload/status, is: ok }", "beat": "{ every: 25s, json: { event: heartbeat } }",
            "event": "/payload/event",
        ])
    static let socketMessage = Shape("socketMessage", ["json": "{ event: subscribe }", "text": "hello"])
    static let socketJoined = Shape("socketJoined", ["at*": "/payload/status", "is*": "ok"])
    static let socketBeat = Shape("socketBeat", ["every": "25s", "json": "{ event: heartbeat }", "text": "ping"])

    static let telling = Shape(
        "telling", ["observer*": "dashboard", "within": "500ms", "marked": "false"])

    static let webhooks = Shape(
        "webhooks",
        [
            "path": "/webhooks", "method": "POST", "event*": "/type", "id": "/id", "token": "/token",
            "signature": "{ hmac: { key: { env: WEBHOOK_KEY }, over: [body], header: X-Signature } }", "overlap": "24h",
            "form": "dated", "label": "s", "tolerance": "5m", "answers": "[{ status: 500, times: 3 }]", "retries": "10s",
            "owes": "[{ call: end, event: session.ended }]",
        ])

    static let webhookPlace = Shape("webhookPlace", ["header": "X-Event", "parameter": "token", "word": "token.dead"])

    static let webhookAnswer = Shape("webhookAnswer", ["status": "500", "times": "3", "delay": "2s", "never": "true"])

    static let state = Shape(
        "state",
        [
            "sqlite": "\"{{run.dir}}/relay.sqlite\"", "postgres": "{ url: { env: RELAY_DATABASE } }",
            "http": "{ path: /tokens, rows: /tokens, token: /token, kind: /kind }", "every": "1s",
            "activity": "SELECT token FROM activities",
            "start": "SELECT start_token FROM phones", "device": "SELECT token FROM phones",
            "registration": "SELECT token FROM registrations", "widget": "SELECT token FROM widgets",
            "control": "SELECT token FROM controls",
        ])

    static let statePostgres = Shape("statePostgres", ["url*": "{ env: RELAY_DATABASE }"])
    static let stateEndpoint = Shape(
        "stateEndpoint",
        [
            "path*": "/tokens", "query": "{ limit: \"20000\" }", "headers": "{ accept: application/json }", "auth": "none",
            "rows*": "/tokens", "token*": "/token", "kind": "/kind",
        ])

    static let hook = Shape(
        "hook",
        ["call": "end", "reasons": "[Unregistered]", "event*": "session.ended", "within": "5s", "once": "true", "ends": "true"])

    static let schemas = Shape(
        "schemas",
        [
            "contentState": "../schemas/opencode-a.content-state.json",
            "attributes": "../schemas/opencode-a.attributes.json", "attributesType": "SessionActivityAttributes",
        ])

    static let pass = Shape(
        "pass",
        [
            "channel": "liveactivity", "event": "[update, end]", "at*": "/aps/content-state", "from": "/contentState",
            "is": "working", "now": "2001", "within": "60s",
        ])

    static let carried = Shape(
        "carried",
        [
            "at*": "/aps/content-state/progress", "from": "/contentState/progress", "rises": "true",
            "countsSeconds": "true", "follows": "status", "as": "{ Error: \"❌\" }", "else": "\"💻\"",
        ])

    static let coalescing = Shape("coalescing", ["window*": "10s"])
    static let dedupe = Shape("dedupe", ["by*": "[/contentState/status]", "window": "30s"])
    static let cap = Shape("cap", ["pushes*": "50", "per*": "activity"])
    static let deadlines = Shape("deadlines", ["default": "5s", "coalesced": "15s"])

    static let activities = Shape(
        "activities",
        ["restart": "{ after: 6h50m }", "end": "{ after: 7h59m }", "refresh": "60s", "dismissal": "5s"])
    static let activityEnd = Shape(
        "activityEnd",
        ["after*": "7h59m", "within": "60s", "shows": "{ /aps/content-state/status: [error, complete] }"])
    static let activityRestart = Shape(
        "activityRestart",
        [
            "after*": "6h50m", "within": "60s", "before": "7h", "adoptWithin": "60s", "pause": "5m", "longestPause": "60m",
        ])

    static let call = Shape(
        "call",
        [
            "method": "POST", "path*": "/v1/event", "headers": "{ accept: application/json }",
            "json": "{ sessionID: \"{{sessionID}}\" }", "form": "{ message: \"{{marker}} {{text}}\" }",
            "text": "\"{{marker}}\"", "multipart": "{ message: \"{{marker}} {{text}}\" }",
            "query": "{ user: \"{{serverID}}\" }", "variables": "{ text: hello }",
            "expect": "200", "pushes": "[{ channel: alert }]",
            "tells": "[{ observer: dashboard }]", "final": "true",
            "registers": "[activityToken]",
            "unregisters": "[activityToken]", "phone": "1", "stale": "true", "unknown": "true", "prepares": "true",
            "cases": "false", "oversized": "true",
            "passes": "[{ at: /aps/content-state, from: /state }]", "sets": "{ status: Error }",
            "captures": "{ activityID: /activity/id }", "lacks": "[]", "auth": "none", "batch": "{ of: 100, within: 50ms }",
            "answers": "[{ status: 200, at: /status, equals: REMOVE, means: pruned }]",
        ])

    static let capture = Shape("capture", ["header*": "location", "behind": "/sessions/"])
    static let batch = Shape(
        "batch",
        [
            "of*": "100", "within*": "50ms", "at": "/notifications", "results": "/data", "by": "/token",
            "is": "\"{{deviceToken}}\"",
        ])

    static let answer = Shape(
        "answer",
        ["status*": "429", "at": "/status", "equals": "REMOVE", "means*": "throttled", "wait": "/retry_after"])
    static let retries = Shape("retries", ["most": "3", "wait": "1s", "longest": "60s"])

    static let push = Shape(
        "push",
        [
            "channel*": "liveactivity", "event": "update", "token": "activityToken", "unless": "activityToken",
            "coalesce": "true", "dedupe": "true", "held": "true", "deadline": "5s", "urgent": "true", "first": "true",
            "marked": "false", "broadcast": "session",
            "headers": "{ priority: 10, expiration: none }", "alert": "{ title: \"{{title}}\" }", "sound": "alert.wav",
            "staleDate": "60s", "dismissalDate": "{ after: 5s }", "relevanceScore": "75", "message": "{ priority: high }",
        ])

    static let declared = Shape(
        "declared",
        [
            "channel*": "liveactivity", "event": "[update, end]", "headers": "{ priority: 10, expiration: none }",
            "alert": "absent", "sound": "alert.wav", "staleDate": "60s", "dismissalDate": "{ after: 5s }",
            "relevanceScore": "75", "message": "{ priority: high }",
        ])

    static let pushMessage = Shape(
        "pushMessage", ["priority": "high", "notification": "absent", "data": "[id, state]"])
    static let pushHeaders = Shape(
        "pushHeaders",
        ["priority": "10", "topic": "\"{{topic}}\"", "collapseID": "\"{{sessionID}}\"", "expiration": "none"])
    static let pushExpiration = Shape("pushExpiration", ["within*": "4h"])
    static let pushAlert = Shape(
        "pushAlert", ["title": "\"{{title}}\"", "subtitle": "hello", "body": "\"{{marker}} {{text}}\""])
    static let pushDate = Shape("pushDate", ["after": "5s", "within": "4h", "of": "timestamp", "tolerance": "10s"])

    static let session = Shape(
        "session",
        [
            "name": "S0-happy", "parameters": "{ pause: 5s }", "steps*": "[{ call: start }]",
            "reactions": "[{ on: token, call: registerActivity }]", "acts": "[{ do: kill, at: 10s }]", "listen": "2s",
            "phones": "{ never: 1 }",
        ])

    static let reaction = Shape(
        "reaction",
        [
            "on*": "token", "call*": "registerActivity", "phone": "1", "after": "200ms", "probability": "0.5",
            "times": "3", "within": "10s", "with": "{ text: hello }",
        ])

    static let act = Shape(
        "act", ["do*": "dismiss", "at": "10s", "on": "started", "after": "5s", "phone": "1", "probability": "0.3"])

    static let step = Shape(
        "step",
        [
            "call": "progress", "at": "10s", "after": "2s", "every": "10s", "count": "5", "until": "90s",
            "malformed": "8s", "probability": "0.5", "with": "{ text: hello }", "wait": "5s",
            "oneOf": "[{ weight: 3, steps: [] }, { steps: [] }]",
        ])
    static let arm = Shape("arm", ["weight": "1", "steps*": "[{ call: start }]"])

    static let distribution = Shape(
        "distribution",
        ["uniform": "[1s, 2s]", "exponential": "5s", "logNormal": "{ median: 3m, p95: 25m }", "file": "dwell.csv"])

    static let logNormal = Shape("logNormal", ["median*": "3m", "p95*": "25m"])
}
