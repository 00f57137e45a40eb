// What a relay says of a refused call goes into the record, but not a credential that it says again.

import Basics
import HTTP
import Net
package import Scenarios

extension RelayDriver {
    /// The first bytes of an answer, with `(secret)` in the place of each secret and of each credential of its request, in
    /// whatever form a program writes it into an answer.
    func redact(_ answer: ByteBuffer, of call: Int, _ request: OutgoingRequest, upTo limit: Int) -> [UInt8] {
        // A secret that begins before the limit is known by what stands behind it.
        let text = answer.bytes.extracting(0..<min(answer.bytes.count, limit + Self.behind)).array
        return SecretSearch(secrets(of: call, request)).redact(text, upTo: limit)
    }

    private static let behind = 1_024

    /// Those that the files name, and what stands behind the last blank of headers that hold a credential.
    private func secrets(of call: Int, _ request: OutgoingRequest) -> [[UInt8]] {
        let names = secretHeaders(of: call)
        let head = request.head
        if let name = secretParameter(of: call), let index = head.index(of: ":path") {
            let path = head.value(at: index).array
            let value = path.split(separator: 38).last { $0.starts(with: name + [61]) }
            return kept + (value.map { [Array($0.dropFirst(name.count + 1))] } ?? [])
        }
        guard !names.isEmpty else { return kept }
        let written = (0..<head.count).filter { names.contains(head.name(at: $0).text) }
            .map { Array(head.value(at: $0).array.split(separator: 32).last ?? []) }
            // Of AWS the signature alone.
            .map { $0.starts(with: Array("Signature=".utf8)) ? Array($0.dropFirst(10)) : $0 }
        return kept + written + written.compactMap(Self.password)
    }
}

extension RelayDriver {
    /// Of a credential of basic, RFC 7617.
    private static func password(_ credential: [UInt8]) -> [UInt8]? {
        guard let pair = Base64.decode(credential.span), let colon = pair.firstIndex(of: 58) else { return nil }
        // Fewer may stand anywhere, and in what is no pair.
        return pair.count - colon > 6 ? Array(pair[(colon + 1)...]) : nil
    }
}

extension SecretSearch {
    fileprivate func redact(_ text: [UInt8], upTo limit: Int) -> [UInt8] {
        var output: [UInt8] = []
        var place = 0
        for range in ranges(in: text) where range.lowerBound < limit {
            output += text[place..<range.lowerBound]
            output += Array(Capture.unrecorded.utf8)
            place = range.upperBound
        }
        if place < limit { output += text[place...] }
        return Array(output.prefix(limit))
    }
}

extension Profile {
    /// What a relay says elsewhere than in an answer, likewise without the secrets that files and the environment gave.
    package func redacted(_ text: String) -> String {
        let secrets = Set(calls.flatMap { $0.auth?.kept ?? [] }.map(\.bytes)).sorted { $0.count > $1.count }
        return String(decoding: SecretSearch(secrets).redact(Array(text.utf8), upTo: .max), as: UTF8.self)
    }
}

extension ProfileCall {
    /// Names of the headers that `auth` writes, or that say what an answer held.
    var secretHeaders: Set<String> {
        Set((auth?.headers ?? []) + fields.filter { !$0.value.captured.isEmpty }.map(\.name))
    }
}
