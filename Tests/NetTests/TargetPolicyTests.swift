// Nothing of ours goes where people's phones hang on.

import Basics
import Net
import Testing

struct TargetPolicyTests {
    private static let here = "127.0.0.1"
    private static let elsewhere = "192.0.2.7"

    private func check(
        _ url: String, at addresses: [String] = [elsewhere], allowing hosts: Set<String> = []
    ) throws -> Result<CheckedOrigin, Failure> {
        let origin = try Origin(parsing: url)
        let found = try addresses.map { try #require(IPAddress(literal: $0)) }
        do throws(Failure) {
            return .success(try TargetPolicy.check(origin, allowHosts: hosts, resolve: { _ in found }))
        } catch { return .failure(error) }
    }

    private func refusal(
        _ url: String, at addresses: [String] = [elsewhere], allowing hosts: Set<String> = []
    ) throws -> Failure? {
        guard case .failure(let failure) = try check(url, at: addresses, allowing: hosts) else { return nil }
        return failure
    }

    @Test func `this machine may be called`() throws {
        #expect(try refusal("http://127.0.0.1:8787", at: [Self.here]) == nil)
        #expect(try refusal("http://relay.test:8787", at: [Self.here, "127.8.8.8", "::1", "::ffff:127.0.0.1"]) == nil)
    }

    @Test func `another machine is called only when it is named`() throws {
        let failure = try refusal("http://relay.test:8787")
        #expect(failure?.kind == .usage)
        #expect(failure?.hint?.contains("--allow-host relay.test") == true)
        #expect(try refusal("http://relay.test:8787", allowing: ["relay.test"]) == nil)
        #expect(try refusal("http://Relay.Test.:8787", allowing: ["RELAY.test"]) == nil)
        #expect(try refusal("http://other.test:8787", allowing: ["relay.test"]) != nil)
    }

    @Test func `a name that leads both here and elsewhere is elsewhere`() throws {
        #expect(try refusal("http://relay.test", at: [Self.here, Self.elsewhere]) != nil)
    }

    @Test(arguments: [
        "api.push.apple.com", "api.sandbox.push.apple.com", "API.PUSH.APPLE.COM.", "push.apple.com",
        "fcm.googleapis.com",
        "oauth2.googleapis.com", "exp.host", "onesignal.com", "api.onesignal.com", "rest.iad-01.braze.com", "ntfy.sh",
        "sns.eu-west-1.amazonaws.com",
    ]) func `a vendor is never called, whoever allows it`(host: String) throws {
        let failure = try refusal("https://\(host)", allowing: [host, host.lowercased()])
        #expect(failure?.kind == .usage)
        #expect(failure?.message.contains("vendor") == true)
    }

    @Test func `a vendor's name that resolves to this machine is a mock`() throws {
        #expect(try refusal("https://api.push.apple.com", at: [Self.here]) == nil)
    }

    @Test func `a vendor's name that does not resolve is refused`() throws {
        #expect(try refusal("https://api.push.apple.com", at: []) != nil)
    }

    @Test(arguments: ["notexp.host", "ec2-1-2-3-4.compute.amazonaws.com", "push.apple.com.example.org"])
    func `a name that only looks like a vendor's is like any other`(host: String) throws {
        #expect(try refusal("https://\(host)", allowing: [host]) == nil)
    }

    @Test(
        "a name that leads into a vendor's network is refused, whoever allows it, however the address is wrapped",
        arguments: [
            // Apple's own, and 17.188.1.2 as the forms of RFC 4291, 2765, 6052, 8215, 3056, 4380 and 5214 wrap it.
            ("17.188.1.2", "Apple"), ("2620:149:a44::1", "Apple"), ("2403:300:a42::1", "Apple"),
            ("2403:300:a51::1", "Apple"), ("2a01:b740:a42::1", "Apple"), ("::ffff:17.188.1.2", "Apple"),
            ("::17.188.1.2", "Apple"), ("::ffff:0:17.188.1.2", "Apple"), ("64:ff9b::17.188.1.2", "Apple"),
            ("64:ff9b:1::17.188.1.2", "Apple"), ("64:ff9b:1:11bc:1:200::", "Apple"),
            ("64:ff9b:1:ff11:bc:102::", "Apple"),
            ("64:ff9b:1:fffe:11:bc01:200:0", "Apple"), ("2002:11bc:0102::1", "Apple"),
            ("2001:0:c000:0201:0:0:ee43:fefd", "Apple"), ("2001:0:11bc:0102::1", "Apple"),
            ("2001:db8::5efe:17.188.1.2", "Apple"), ("2001:db8::200:5efe:17.188.1.2", "Apple"),
            ("142.250.74.42", "Google"), ("172.217.16.202", "Google"), ("199.36.153.8", "Google"),
            ("2a00:1450:4001::200a", "Google"), ("2600:2d00:2:1000::", "Google"), ("64:ff9b::142.251.1.95", "Google"),
            ("2002:8efa:4a2a::", "Google"),
        ])
    func wrapped(address: String, vendor: String) throws {
        for addresses in [[address], [Self.elsewhere, address], [Self.here, address]] {
            let failure = try refusal("https://innocent.test", at: addresses, allowing: ["innocent.test"])
            #expect(failure?.message.contains("\(vendor)'s push network") == true, "\(address)")
        }
    }

    @Test(
        "an address next to a vendor's is like any other",
        arguments: [
            "16.255.255.255", "18.0.0.0", "142.249.255.255", "142.252.0.0", "2620:148::1", "64:ff9b::18.0.0.1",
            "64:ff9c::17.0.0.1", "2003:11bc:0102::1", "2001:1:11bc:0102::1", "fd00::17.188.1.2",
        ])
    func neighbours(address: String) throws {
        #expect(try refusal("http://relay.test", at: [address], allowing: ["relay.test"]) == nil)
        #expect(try refusal("http://relay.test", at: [address]) != nil)
    }

    @Test func `loopback wrapped for a translator is not this machine`() throws {
        for address in ["64:ff9b::127.0.0.1", "::127.0.0.1", "2002:7f00:1::"] {
            #expect(try refusal("http://relay.test", at: [address]) != nil, "\(address)")
        }
    }

    @Test func `an address of nobody stands for this machine, and is called there`() throws {
        for (address, called) in [("0.0.0.0", "127.0.0.1"), ("::", "::1"), ("::ffff:0.0.0.0", "::1")] {
            let target = try check("http://relay.test:80", at: [address]).get()
            #expect(target.addresses == [SocketAddress(host: called, port: 80)])
        }
    }

    @Test func `the addresses that were checked are kept, each once and in order`() throws {
        let target = try check(
            "http://relay.test:80", at: ["192.0.2.2", "2001:db8::1", "192.0.2.2"], allowing: ["relay.test"]
        ).get()
        #expect(target.addresses.map(\.description) == ["192.0.2.2:80", "[2001:db8::1]:80"])
        #expect(target.origin == Origin(isTLS: false, host: "relay.test", port: 80))
    }

    @Test func `a name that leads nowhere is said so`() throws {
        #expect(try refusal("http://nowhere.test", at: [])?.message.contains("cannot resolve") == true)
    }

    @Test func `a client without a check takes literal loopback addresses only`() throws {
        #expect(try TargetPolicy.loopback(Origin(parsing: "http://[::1]:80")).addresses.count == 1)
        for url in ["http://localhost:80", "http://17.0.0.1:80", "http://192.0.2.7"] {
            let origin = try Origin(parsing: url)
            #expect(throws: Failure.self) { try TargetPolicy.loopback(origin) }
        }
    }

    @Test func `the system resolves literals, short forms too`() throws {
        func found(_ host: String) -> [String] { TargetPolicy.resolve(host).map(\.description) }
        #expect(found("127.0.0.1") == ["127.0.0.1"] && found("::1") == ["::1"] && found("name.invalid") == [])
        for host in ["17.1", "0x11000001", "285212673"] {
            let origin = Origin(isTLS: false, host: host, port: 80)
            #expect(throws: Failure.self) { try TargetPolicy.check(origin, allowHosts: [host]) }
        }
    }

    @Test("when the first address is dead the next one is called", .timeLimit(.minutes(10)))
    func nextAddress() throws {
        let service = try EchoService(tls: false)
        let origin = Origin(isTLS: false, host: "relay.test", port: service.address.port)
        // Nothing listens at ::1 on that port.
        let target = try TargetPolicy.check(origin) { _ in ["::1", "127.0.0.1"].compactMap { IPAddress(literal: $0) } }
        let pool = try service.client(.http1, target: target)
        #expect(pool.get("/echo").status == 200)
        #expect(pool.get("/echo").status == 200)
    }
}
