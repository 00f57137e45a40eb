// The mappings that say how a call is authenticated.

extension Shape {
    static let auth = Shape(
        "auth",
        [
            "bearer": "\"{{secret}}\"", "basic": "{ user: me, password: { env: RELAY_PASSWORD } }",
            "header": "{ name: x-api-key, value: { env: RELAY_KEY } }",
            "hmac": "{ key: { env: RELAY_KEY }, over: [body], header: X-Signature }",
            "jwt": "{ key: { env: RELAY_KEY } }", "spoil": "true",
        ])

    static let authBasic = Shape("authBasic", ["user*": "me", "password*": "{ env: RELAY_PASSWORD }"])
    static let authHeader = Shape(
        "authHeader", ["name*": "x-api-key", "value*": "{ env: RELAY_KEY }", "prefix": "\"Key \""])

    static let hmac = Shape(
        "hmac",
        [
            "key*": "{ env: RELAY_KEY }", "algorithm": "sha256", "over*": "[timestamp, \".\", body]", "encoding": "hex",
            "header*": "X-Signature", "prefix": "\"sha256=\"", "timestamp": "{ header: X-Timestamp, unit: s }",
        ])

    static let signedTime = Shape("signedTime", ["header*": "X-Timestamp", "unit": "s"])
    static let signedText = Shape("signedText", ["text*": "\"v0:\""])

    static let jwt = Shape(
        "jwt",
        [
            "key*": "{ env: RELAY_KEY }", "algorithm": "HS256", "claims": "{ aud: relay, sub: \"{{serverID}}\" }",
            "lifetime": "60s", "kid": "key-1", "header": "authorization", "prefix": "\"Bearer \"",
        ])

    static let secret = Shape("secret", ["env": "RELAY_KEY", "file": "relay.key", "as": "text"])
}
