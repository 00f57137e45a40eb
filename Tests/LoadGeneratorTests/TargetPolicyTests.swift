// Load never goes where people's phones hang on.

import Basics
import Net
import Testing

@testable import LoadGenerator

struct TargetPolicyTests {
    private static let loopback = ResolvedHost(isLoopback: true, isApple: false)
    private static let elsewhere = ResolvedHost(isLoopback: false, isApple: false)

    private func refusal(
        _ url: String, at addresses: [ResolvedHost] = [elsewhere], allowing hosts: Set<String> = []
    ) throws -> Failure? {
        let origin = try Origin(parsing: url)
        do throws(Failure) {
            try TargetPolicy.check(origin, allowHosts: hosts, resolve: { _ in addresses })
            return nil
        } catch { return error }
    }

    @Test func `this machine may be loaded`() throws {
        #expect(try refusal("http://127.0.0.1:8787", at: [Self.loopback]) == nil)
        #expect(try refusal("http://relay.test:8787", at: [Self.loopback, Self.loopback]) == nil)
    }

    @Test func `another machine is loaded only when it is named`() throws {
        let failure = try refusal("http://relay.test:8787")
        #expect(failure?.kind == .usage)
        #expect(failure?.hint?.contains("--allow-host relay.test") == true)
        #expect(try refusal("http://relay.test:8787", allowing: ["relay.test"]) == nil)
        #expect(try refusal("http://Relay.Test.:8787", allowing: ["RELAY.test"]) == nil)
        #expect(try refusal("http://other.test:8787", allowing: ["relay.test"]) != nil)
    }

    @Test func `a name that leads both here and elsewhere is elsewhere`() throws {
        #expect(try refusal("http://relay.test", at: [Self.loopback, Self.elsewhere]) != nil)
    }

    @Test(arguments: [
        "api.push.apple.com", "api.sandbox.push.apple.com", "API.PUSH.APPLE.COM.", "push.apple.com",
        "fcm.googleapis.com",
        "oauth2.googleapis.com", "exp.host", "onesignal.com", "api.onesignal.com", "rest.iad-01.braze.com", "ntfy.sh",
        "sns.eu-west-1.amazonaws.com",
    ]) func `a vendor is never loaded, whoever allows it`(host: String) throws {
        let failure = try refusal("https://\(host)", allowing: [host, host.lowercased()])
        #expect(failure?.kind == .usage)
        #expect(failure?.message.contains("vendor") == true)
    }

    @Test func `a vendor's name that resolves to this machine is a mock`() throws {
        #expect(try refusal("https://api.push.apple.com", at: [Self.loopback]) == nil)
    }

    @Test func `a vendor's name that does not resolve is refused`() throws {
        #expect(try refusal("https://api.push.apple.com", at: []) != nil)
    }

    @Test(arguments: ["notexp.host", "ec2-1-2-3-4.compute.amazonaws.com", "push.apple.com.example.org"])
    func `a name that only looks like a vendor's is like any other`(host: String) throws {
        #expect(try refusal("https://\(host)", allowing: [host]) == nil)
    }

    @Test func `a name that leads into Apple's push network is refused`() throws {
        let apple = ResolvedHost(isLoopback: false, isApple: true)
        #expect(try refusal("https://innocent.test", at: [apple], allowing: ["innocent.test"]) != nil)
    }

    @Test func `a name that leads nowhere is said so`() throws {
        #expect(try refusal("http://nowhere.test", at: [])?.message.contains("cannot resolve") == true)
    }

    @Test func `addresses are classified`() {
        #expect(TargetPolicy.classify([127, 8, 8, 8]).isLoopback)
        #expect(!TargetPolicy.classify([128, 0, 0, 1]).isLoopback)
        #expect(TargetPolicy.classify([17, 188, 1, 2]).isApple)
        let six = [UInt8](repeating: 0, count: 15)
        #expect(TargetPolicy.classify(six + [1]).isLoopback)
        #expect(!TargetPolicy.classify(six + [2]).isLoopback)
        #expect(TargetPolicy.classify(Array(six.dropLast(5)) + [255, 255, 127, 0, 0, 1]).isLoopback)
        #expect(TargetPolicy.classify([0x26, 0x20, 0x01, 0x49, 0x0A, 0x44] + Array(six.dropLast(5))).isApple)
    }

    @Test func `the system resolves literals`() {
        #expect(TargetPolicy.resolve("127.0.0.1") == [Self.loopback])
        #expect(TargetPolicy.resolve("::1") == [Self.loopback])
        #expect(TargetPolicy.resolve("name.invalid") == [])
    }
}
