// FCM's clients as their users have them, led to the mock by `pushrig exec` (docs/fcm-clients.md).

import Basics
import Foundation
import Net
import Testing

@Suite("FCM's clients")
struct MessagingClientTests {
    @Test("send, fail, dry-run and subscribe with their own defaults")
    func clients() throws {
        // Port 443 is for root, unless the machine says otherwise.
        guard (try? ListeningSocket(SocketAddress(host: "127.63.1.2", port: 443))) != nil else { return }
        try Rig.withFolder { folder in
            let python = Rig.root + "/.build/messaging-clients/bin/python"
            #expect(FileManager.default.isExecutableFile(atPath: python), "script/setup --tests makes it")
            let run = try Rig.run(
                Rig.pushrig,
                ["exec", "--state", folder + "/state", "--", python, "-W", "ignore", "Tests/MessagingClients/clients.py"],
                seconds: 120)
            #expect(run.code == 0, "\(run.out)\(run.error)")
            #expect(
                run.out == """
                    send: sent projects/pushrig-mock
                    topic: sent projects/pushrig-mock
                    condition: sent projects/pushrig-mock
                    android: sent projects/pushrig-mock
                    apns: sent projects/pushrig-mock
                    malformed: InvalidArgumentError 400: The registration token is not a valid FCM registration token
                    reserved: InvalidArgumentError 400: Invalid data payload key: from
                    too big: InvalidArgumentError 400: Android message is too big
                    each: 500 0
                    dry: 5 0
                    subscribe: 2 ['INVALID_ARGUMENT']
                    unsubscribe: 2 0
                    async: 100 0
                    async-firebase: True
                    async-firebase subscribe: 1
                    pyfcm: projects/pushrig-mock

                    """, "\(run.error)")
        }
    }
}
