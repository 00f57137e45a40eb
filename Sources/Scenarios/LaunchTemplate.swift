// The few variables of `relay.launch`, `relay.url` and `relay.environment`.

import Basics

package enum LaunchTemplate {
    package static let variables = [
        "pushrig", "mock.apns", "mock.apnsHost", "mock.apnsPort", "mock.sandbox",
        "mock.sandboxHost", "mock.sandboxPort", "mock.clock", "mock.clockScale", "mock.ca", "mock.key", "mock.keyText",
        "mock.keyId", "mock.teamId", "mock.topic", "mock.channels", "relay.listen", "relay.host", "relay.port", "rig.webhook",
        "run.dir",
    ] + ofCertificate + ofFCM

    /// The folder of the file that says `launch`: it is known when that is read, and stands in no other place.
    static let folder = "scenario.dir"

    /// Whoever is told one of these has a client certificate made.
    package static let ofCertificate = ["mock.certificate", "mock.certificateKey", "mock.p12"]

    /// Whoever is told one of these has a mock FCM beside.
    static let ofFCM = ["mock.fcm", "mock.serviceAccount", "mock.tokenUri", "mock.project"]

    /// Puts values in; nil from `value` leaves the variable as it stands.
    package static func fill(_ text: String, _ value: (String) -> String?) -> String {
        var output = ""
        var rest = text[...]
        while let open = rest.firstRange(of: "{{"), let close = rest[open.upperBound...].firstRange(of: "}}") {
            output += rest[..<open.lowerBound]
            let name = String(rest[open.upperBound..<close.lowerBound].trimmed)
            output += value(name) ?? String(rest[open.lowerBound..<close.upperBound])
            rest = rest[close.upperBound...]
        }
        return output + rest
    }

    static func names(in text: String) -> [String] {
        var names: [String] = []
        _ = fill(text) { name in
            names.append(name)
            return ""
        }
        return names
    }
}
