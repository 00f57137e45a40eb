// What a program is shown: names, and whom to trust.

import Basics
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
}
