// What a program is shown: names, and whom to trust.

import Basics
import Glibc
import Net
import Testing

@testable import Harness

@Suite("What exec shows a program")
struct ExecFilesTests {
    @Test("leads each name to its address, for both kinds of addresses, and nowhere else")
    func hosts() {
        let own = "127.0.0.1 localhost\n17.1.2.3\tAPI.push.apple.com # theirs\n10.0.0.1 other # api.push.apple.com\n"
        let text = NameFiles.hosts([("127.64.0.1", "api.push.apple.com")], beside: own)
        #expect(
            text == """
                127.64.0.1 api.push.apple.com
                ::ffff:127.64.0.1 api.push.apple.com
                127.0.0.1 localhost
                10.0.0.1 other # api.push.apple.com

                """)
        #expect(NameFiles.hosts([], beside: "127.0.0.1 localhost").hasSuffix("localhost\n"))
    }

    @Test("asks files first", arguments: [
        ("hosts: dns files\n", "hosts: files dns\n"),
        ("passwd: files\nhosts:\tmymachines resolve [!UNAVAIL=return] files dns\n",
            "passwd: files\nhosts: files mymachines resolve [!UNAVAIL=return] dns\n"),
        ("passwd: files\n", "passwd: files\nhosts: files dns\n"),
    ])
    func order(own: String, shown: String) { #expect(NameFiles.nsswitch(own) == shown) }

    @Test("has each host of Apple's, sandbox apart")
    func names() {
        let led = ProviderName.hosts([.production: "p", .sandbox: "s", .google: "g"])
        #expect(led.count == 13)
        for (address, name) in led {
            let isSandbox = name.contains("sandbox") || name.contains("development")
            #expect(address == (name.hasSuffix("googleapis.com") ? "g" : isSandbox ? "s" : "p"), "\(name)")
        }
    }

    @Test("keeps what the user's environment says, and adds to it")
    func environment() {
        let told = ExecEnvironment(bundle: "/b", authority: "/a", trustStore: "/t", trustPassword: "w").variables(
            beside: ["HOME": "/h", "JAVA_TOOL_OPTIONS": "-Xmx1g", "no_proxy": "x", "SSL_CERT_FILE": "/old"])
        let values = Dictionary(uniqueKeysWithValues: told.map { ($0.name, $0.value) })
        #expect(values["HOME"] == "/h" && values["SSL_CERT_FILE"] == "/b" && values["NODE_EXTRA_CA_CERTS"] == "/a")
        #expect(values["JAVA_TOOL_OPTIONS"]?.hasPrefix("-Xmx1g -Djavax.net.ssl.trustStore=/t ") == true)
        #expect(values["no_proxy"]?.hasPrefix("x,api.push.apple.com,") == true)
        #expect(values["NO_PROXY"]?.contains("fcm.googleapis.com") == true)
    }

    @Test("says four ways out where port 443 may not be taken, and no other port")
    func rights() throws {
        let trouble = Failure(.run, "cannot listen", hint: ListeningSocket.portRights + "; or choose a port above 1023")
        let hint = try #require(ExecMock.told(trouble).hint)
        for word in ["root", "CAP_NET_BIND_SERVICE", "ip_unprivileged_port_start", "--no-443"] { #expect(hint.contains(word)) }
        #expect(!hint.contains("above 1023"))
        let busy = Failure(.run, "cannot listen", hint: "something else listens")
        #expect(ExecMock.told(busy) == busy)
    }

    @Test("says what exec has where a port of theirs is taken: no other one, and --no-443 for 443", arguments: [443, 2197])
    func taken(port: Int) throws {
        let listens = "something else listens on port \(port): stop it"
        let trouble = Failure(.run, "cannot listen", hint: listens + ", or choose another port (0 picks a free one)")
        let hint = try #require(ExecMock.told(trouble).hint)
        #expect(hint == listens + (port == 443 ? "; or say --no-443, for a program that calls APNs at port 2197" : ""))
    }

    @Test("says one port, or several")
    func ports() {
        #expect(ExecCommand.ports([2197]) == "port 2197" && ExecCommand.ports([443, 2197]) == "ports 443 and 2197")
    }

    @Test("says that user namespaces are off, of which the system says that no space is left")
    func namespaces() {
        let words = ExecWithin.unmade(ENOSPC, "No space left on device")
        #expect(words.contains("user namespaces are off") && words.contains("max_user_namespaces"))
        #expect(!words.contains("No space"))
        #expect(ExecWithin.unmade(EPERM, "Operation not permitted") == "cannot make a mount namespace: Operation not permitted")
    }
}
