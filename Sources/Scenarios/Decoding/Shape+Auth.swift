// The mappings that say how a call is authenticated.

extension Shape {
    static let auth = Shape(
        "auth",
        [
            "bearer": "\"{{secret}}\"", "basic": "{ user: me, password: { env: RELAY_PASSWORD } }",
            "header": "{ name: x-api-key, value: { env: RELAY_KEY } }",
            "hmac": "{ key: { env: RELAY_KEY }, over: [body], header: X-Signature }",
            "jwt": "{ key: { env: RELAY_KEY } }",
            "sigv4": "{ accessKeyID: me, secretAccessKey: { env: RELAY_KEY }, region: eu-central-1, service: sns }",
            "oauth2": "{ tokenURL: /oauth/token, clientID: me, clientSecret: { env: RELAY_KEY } }",
            "spoil": "true",
        ])

    static let authBasic = Shape("authBasic", ["user*": "me", "password*": "{ env: RELAY_PASSWORD }"])
    static let authHeader = Shape(
        "authHeader", ["name*": "x-api-key", "value*": "{ env: RELAY_KEY }", "prefix": "\"Key \""])

    static let hmac = Shape(
        "hmac",
        [
            "key*": "{ env: RELAY_KEY }", "algorithm": "sha256", "over*": "[timestamp, \".\", body]", "encoding": "hex",
            "header": "X-Signature", "parameter": "auth_signature", "prefix": "\"sha256=\"",
            "timestamp": "{ header: X-Timestamp, unit: s }", "digest": "{ of: md5, parameter: body_md5 }",
            "parameters": "{ auth_key: rig, auth_version: \"1.0\" }",
        ])

    static let signedTime = Shape(
        "signedTime", ["header": "X-Timestamp", "parameter": "auth_timestamp", "unit": "s"])
    static let signedDigest = Shape(
        "signedDigest", ["of*": "sha256", "header": "X-Digest", "parameter": "body_md5", "encoding": "hex"])
    static let signedText = Shape("signedText", ["text": "\"v0:\"", "header": "webhook-id"])

    static let jwt = Shape(
        "jwt",
        [
            "key*": "{ env: RELAY_KEY }", "algorithm": "HS256", "claims": "{ aud: relay, sub: \"{{serverID}}\" }",
            "lifetime": "60s", "kid": "key-1", "header": "authorization", "prefix": "\"Bearer \"",
        ])

    static let sigv4 = Shape(
        "sigv4",
        [
            "accessKeyID*": "AKIDEXAMPLE", "secretAccessKey*": "{ env: RELAY_KEY }", "sessionToken": "{ env: RELAY_TOKEN }",
            "region*": "eu-central-1", "service*": "sns",
        ])

    static let oauth2 = Shape(
        "oauth2",
        [
            "tokenURL*": "/oauth/token", "clientID*": "me", "clientSecret*": "{ env: RELAY_KEY }", "scope": "push",
            "audience": "relay", "style": "basic",
        ])

    static let secrets = Shape("secrets", ["turns*": "[{ env: OLD_KEY }, { env: NEW_KEY }]", "every": "10s"])
    static let joinedSecret = Shape(
        "joinedSecret", ["join*": "[\"{{serverID}}\", \":\", { env: RELAY_KEY }]", "encode": "base64"])
    static let secret = Shape(
        "secret",
        ["env": "RELAY_KEY", "file": "relay.key", "value": "\"{{hookSecret}}\"", "prefix": "whsec_", "as": "text"])
}
