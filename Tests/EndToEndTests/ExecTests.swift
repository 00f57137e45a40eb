// `pushrig exec`: programs with Apple's hosts in their code, and what they see of us.

import APNs
import Basics
import EventLoop
import Foundation
import Net
import TLS
import Testing

@Suite("pushrig exec", .serialized)
struct ExecTests {
    /// Port 443 is for root, unless the machine says otherwise.
    private var mayTake443: Bool {
        (try? ListeningSocket(SocketAddress(host: "127.63.1.1", port: 443))) != nil
    }

    private func exec(_ folder: String, _ options: [String] = [], _ command: [String]) throws -> Rig.Output {
        try Rig.run(Rig.pushrig, ["exec", "--state", folder + "/state"] + options + ["--"] + command, seconds: 60)
    }

    /// A provider token of the folder's mock, made as `--print-env` tells.
    private func bearer(_ folder: String) throws -> String {
        let told = try Rig.run(
            Rig.pushrig,
            ["mock", "--state", folder + "/state", "--apns", "127.0.0.1:2197", "--print-env", "--format", "json"])
        let values = try JSONValue(parsing: told.out)
        let key = try P256PrivateKey(
            pem: try String(contentsOfFile: try #require(values["APNS_KEY_FILE"]?.string), encoding: .utf8))
        return ProviderToken.sign(
            keyID: try #require(values["APNS_KEY_ID"]?.string), teamID: try #require(values["APNS_TEAM_ID"]?.string),
            issuedAt: SystemTime().wall()
        ) { key.sign($0) }
    }

    @Test("leads curl and Python to production and sandbox, and Google's names to the mock FCM; or says what port 443 needs")
    func leads() throws {
        try Rig.withFolder { folder in
            let bearer = "BEARER=" + (try bearer(folder))
            let python = try exec(folder, [], ["env", bearer, "/usr/bin/python3", "Tests/HardCoded/push.py"])
            guard mayTake443 else {
                #expect(python.code == 1 && python.error.split(separator: "\n").count == 1, "\(python.error)")
                for word in ["root", "CAP_NET_BIND_SERVICE", "ip_unprivileged_port_start"] {
                    #expect(python.error.contains(word), "\(python.error)")
                }
                return
            }
            #expect(python.code == 0, "\(python.out)\(python.error)")
            #expect(
                python.out == """
                    api.push.apple.com 200 HTTP/2
                    api.sandbox.push.apple.com:2197 200 HTTP/2
                    fcm.googleapis.com 404
                    oauth2.googleapis.com 404
                    iid.googleapis.com 404
                    iamcredentials.googleapis.com 404

                    """)
            #expect(python.error.contains("6 pushes, on record in \(folder)/state/journal"), "\(python.error)")
            let curl = try exec(
                folder, ["--quiet"],
                ["curl", "-s", "--http2", "-d", "{}", "https://api.development.push.apple.com/3/device/abc"])
            #expect(curl.out == #"{"reason":"MissingProviderToken"}"# && curl.error == "", "\(curl.out)\(curl.error)")
            let judged = try Rig.run(Rig.pushrig, ["journal", folder + "/state"])
            #expect(judged.out.contains("200, shown") && judged.out.contains("403"), "\(judged.out)")
        }
    }

    @Test("ends as the program does", arguments: [
        (["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -9 $$"], 137), (["no-such-program"], 127), (["/etc/hosts"], 126),
    ] as [([String], Int32)])
    func codes(command: [String], code: Int32) throws {
        try Rig.withFolder { folder in
            let run = try exec(folder, ["--no-443", "--quiet"], command)
            #expect(run.code == code, "\(run.error)")
            #expect(run.error.contains("cannot run") == (code == 126 || code == 127), "\(run.error)")
        }
    }

    @Test("tells wrong words in one line", arguments: [
        ([], "exec needs a command"), (["curl", "-s"], "unknown option -s"),
        (["--mock", "nowhere", "--", "true"], "no mock is up on nowhere"),
        (["--mock", "nowhere", "--no-443", "--", "true"], "--no-443 is for a mock of its own"),
    ] as [([String], String)])
    func usage(words: [String], says: String) throws {
        let run = try Rig.run(Rig.pushrig, ["exec"] + words)
        #expect(run.code == 2 && run.error.contains(says) && run.error.split(separator: "\n").count == 1, "\(run.error)")
    }

    @Test("leaves nothing behind: no file, no mount, no daemon; and what stands behind -- is not read as ours")
    func nothingLeft() throws {
        try Rig.withFolder { folder in
            let hosts = try String(contentsOfFile: "/etc/hosts", encoding: .utf8)
            let mounts = try String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)
            let script = "cat /etc/hosts; setsid sleep 987 >/dev/null 2>&1 & echo $! > \(folder)/daemon; echo $SSL_CERT_FILE; :"
            let run = try exec(folder, ["--no-443", "--quiet"], ["sh", "-c", script, "--help"])
            #expect(run.code == 0 && run.out.contains(" api-manage-broadcast.sandbox.push.apple.com\n"), "\(run.out)\(run.error)")
            let bundle = try #require(run.out.split(separator: "\n").last.map(String.init))
            #expect(bundle.hasSuffix("/authorities.pem") && !FileManager.default.fileExists(atPath: bundle))
            let daemon = try String(contentsOfFile: folder + "/daemon", encoding: .utf8).filter(\.isNumber)
            #expect(!FileManager.default.fileExists(atPath: "/proc/" + daemon))
            #expect(try String(contentsOfFile: "/etc/hosts", encoding: .utf8) == hosts)
            #expect(try String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8) == mounts)
        }
    }

    @Test("passes signals on, and takes the program with it when it is killed")
    func signals() throws {
        try Rig.withFolder { folder in
            let script = "trap 'exit 9' TERM; echo $$ > \(folder)/pid; while :; do sleep 0.05; done"
            for (signal, code) in [(SIGTERM, Int32(9)), (SIGKILL, SIGKILL)] {
                try? FileManager.default.removeItem(atPath: folder + "/pid")
                let process = Process()
                process.executableURL = URL(filePath: Rig.pushrig)
                process.arguments = ["exec", "--quiet", "--no-443", "--state", folder + "/state", "--", "sh", "-c", script]
                try process.run()
                var pid = ""
                #expect(Rig.wait {
                    pid = ((try? String(contentsOfFile: folder + "/pid", encoding: .utf8)) ?? "").filter(\.isNumber)
                    return !pid.isEmpty
                })
                kill(process.processIdentifier, signal)
                process.waitUntilExit()
                #expect(process.terminationStatus == code)
                #expect(Rig.wait(seconds: 5) { !FileManager.default.fileExists(atPath: "/proc/" + pid) })
            }
        }
    }

    @Test("needs no root but for port 443: a user of the machine keeps who they are")
    func user() throws {
        guard geteuid() == 0 else { return }  // The other tests are that user's then.
        try Rig.withFolder { folder in
            try FileManager.default.copyItem(atPath: Rig.pushrig, toPath: folder + "/pushrig")
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
            let command = "id -u; curl -s --http2 -d '{}' https://api.push.apple.com:2197/3/device/abc"
            let words = [
                "--reuid=65534", "--regid=65534", "--clear-groups", "env", "TMPDIR=" + folder, folder + "/pushrig", "exec",
                "--state", folder + "/state", "--quiet",
            ]
            let run = try Rig.run("setpriv", words + ["--no-443", "--", "sh", "-c", command])
            #expect(run.out == "65534\n{\"reason\":\"MissingProviderToken\"}", "\(run.out)\(run.error)")
            let refused = try Rig.run("setpriv", words + ["--", "true"])
            #expect(refused.code == 1 && refused.error.contains("CAP_NET_BIND_SERVICE"), "\(refused.error)")
        }
    }

    @Test("its mock's certificate is good for the addresses that --print-env tells as well")
    func addresses() throws {
        try Rig.withFolder { folder in
            let script = """
                eval "$(\(Rig.pushrig) mock --state \(folder)/state --print-env)"
                for url in $APNS_URL $APNS_SANDBOX_URL; do curl -sS --http2 -d '{}' $url/3/device/abc; done
                """
            let run = try exec(folder, ["--no-443", "--quiet"], ["sh", "-c", script])
            let answer = #"{"reason":"MissingProviderToken"}"#
            #expect(run.out == answer + answer, "\(run.out)\(run.error)")
        }
    }

    @Test("leads to a mock that is up, if that has Apple's ports")
    func running() throws {
        try Rig.withFolder { folder in
            let port = ["--apns", "127.63.2.1:2197", "--channels", "none"]
            let odd = try MockProcess(folder: folder + "/odd")
            let wrong = try Rig.run(Rig.pushrig, ["exec", "--mock", folder + "/odd", "--", "true"])
            #expect(wrong.code == 2 && wrong.error.contains("programs call Apple at port 443 or 2197"), "\(wrong.error)")
            withExtendedLifetime(odd) {}
            let process = Process()
            process.executableURL = URL(filePath: Rig.pushrig)
            process.arguments = ["mock", "--state", folder + "/state", "--admin", "127.0.0.1:0"] + port
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            defer {
                process.terminate()
                process.waitUntilExit()
            }
            #expect(Rig.wait { FileManager.default.fileExists(atPath: folder + "/state/mock.json") })
            let curl = ["curl", "-s", "--http2", "-d", "{}", "https://api.push.apple.com:2197/3/device/abc"]
            let run = try Rig.run(Rig.pushrig, ["exec", "--mock", folder + "/state", "--quiet", "--"] + curl)
            #expect(run.out == #"{"reason":"MissingProviderToken"}"#, "\(run.out)\(run.error)")
            let sandbox = curl.dropLast() + ["https://api.sandbox.push.apple.com:2197/3/device/abc"]
            let none = try Rig.run(Rig.pushrig, ["exec", "--mock", folder + "/state", "--quiet", "--"] + sandbox)
            #expect(none.code == 7, "sandbox is not played")
            let told = try Rig.run(Rig.pushrig, ["exec", "--mock", folder + "/state", "--", "true"]).error
            #expect(told.contains("Apple's names lead to 127.63.2.1, sandbox's nowhere, for this mock"), "\(told)")
        }
    }
}
