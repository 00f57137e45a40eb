import Basics
import Foundation
import Testing

@Suite("The mock serves the clients that users have", .serialized)
struct RealClientTests {
    private let body = #"{"aps":{"alert":"hello"}}"#

    @Test("curl --http2: 200, two fields, and the push is told by the admin API")
    func curl() throws {
        try Rig.withFolder { folder in
            let mock = try MockProcess(folder: folder + "/state")
            var arguments = ["-s", "-i", "--http2", "--cacert", mock.ca, "-d", body]
            for (name, value) in mock.headers { arguments += ["-H", "\(name): \(value)"] }
            let answer = try Rig.run("curl", arguments + [mock.url])
            let lines = answer.out.split(whereSeparator: \.isNewline).map(String.init)
            #expect(lines.first?.hasPrefix("HTTP/2 200") == true)
            #expect(lines.count == 2 && lines[1].hasPrefix("apns-id: "), "\(answer.out)")
            let pushes = try #require(try mock.admin("/v1/pushes")["pushes"]?.array)
            #expect(pushes.count == 1)
            #expect(pushes.first?["status"]?.int == 200)
            #expect(pushes.first?["payload"]?.text == body)
        }
    }

    @Test("nghttp: 200, and a refusal with its body")
    func nghttp() throws {
        try Rig.withFolder { folder in
            let mock = try MockProcess(folder: folder + "/state")
            let file = folder + "/body.json"
            try body.write(toFile: file, atomically: true, encoding: .utf8)
            var arguments = ["-v", "-d", file]
            for (name, value) in mock.headers { arguments += ["-H", "\(name): \(value)"] }
            let good = try Rig.run("nghttp", arguments + [mock.url])
            #expect(good.out.contains(":status: 200"))
            // A token connection starts with one stream and gets a thousand before its first 200.
            let one = try #require(good.out.firstRange(of: "SETTINGS_MAX_CONCURRENT_STREAMS(0x03):1]"))
            let thousand = try #require(good.out.firstRange(of: "SETTINGS_MAX_CONCURRENT_STREAMS(0x03):1000]"))
            let status = try #require(good.out.firstRange(of: ":status: 200"))
            #expect(one.lowerBound < thousand.lowerBound && thousand.lowerBound < status.lowerBound)
            let bad = try Rig.run("nghttp", ["-v", "-d", file, "-H", "apns-topic: \(mock.topic)", mock.url])
            #expect(bad.out.contains(":status: 403"))
            #expect(bad.out.contains(#"{"reason":"MissingProviderToken"}"#))
        }
    }

    @Test("h2load: 100,000 requests on 10 connections with 100 streams are all 200 and all in the journal")
    func h2load() throws {
        try Rig.withFolder { folder in
            let mock = try MockProcess(folder: folder + "/state")
            let file = folder + "/body.json"
            try body.write(toFile: file, atomically: true, encoding: .utf8)
            var arguments = ["-n", "100000", "-c", "10", "-m", "100", "-d", file]
            for (name, value) in mock.headers { arguments += ["-H", "\(name): \(value)"] }
            let answer = try Rig.run("h2load", arguments + [mock.url])
            #expect(answer.out.contains("100000 succeeded, 0 failed, 0 errored, 0 timeout"), "\(answer.out)")
            #expect(answer.out.contains("status codes: 100000 2xx"))
            #expect(try mock.journaled() == [200: 100_000])
        }
    }
}
