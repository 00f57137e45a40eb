// The client certificate that a run makes for a relay which shows APNs one.

import Basics
import MockServer
import Pushes
import Scenarios

/// Files in the mock's state directory.
struct RunCertificate {
    let file: String
    let keyFile: String
    /// Sealed with `CertificateRequest.password`.
    let pkcs12File: String

    /// Nil where the scenario tells its relay of none. It speaks for the topics that its profile's pushes go to, as Apple
    /// issues one for an app; alone, a topic need not be named by a push (docs/apns.md §9).
    init?(_ scenario: Scenario, _ mock: MockService) throws(Failure) {
        guard LaunchTemplate.ofCertificate.contains(where: scenario.relay.isTold) else { return nil }
        let profile = scenario.relay.profile
        let topic = scenario.mock.topics.first ?? profile.topic
        let types = Set(profile.calls.flatMap(\.pushes).map(\.channel))
        var request = CertificateRequest(topics: [topic])
        if types.contains(.voip) { request.topics.append(topic + ".voip") }
        if types.contains(.complication) { request.topics.append(topic + ".complication") }
        request.name = "relay"
        let (made, store) = (try mock.credentials.makeCertificate(request), mock.credentials.store)
        (file, keyFile, pkcs12File) = (store.path(of: made.file), store.path(of: made.keyFile), store.path(of: made.pkcs12File))
    }
}
