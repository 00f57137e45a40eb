// What a relay says of a refused call goes into the record, but not a credential that it says again.

import Basics
import HTTP
import Net
import Scenarios

extension RelayDriver {
    /// The first bytes of an answer, with `(secret)` in the place of each secret and of each credential of its request.
    func redact(_ answer: ByteBuffer, of call: Int, _ request: OutgoingRequest, upTo limit: Int) -> [UInt8] {
        let bytes = answer.bytes
        let secrets = secrets(of: call, request)
        var output: [UInt8] = []
        var place = 0
        while place < bytes.count, place < limit, output.count < limit {
            if let secret = secrets.first(where: { !$0.isEmpty && bytes.has($0, at: place) }) {
                output += Array(Capture.unrecorded.utf8)
                place += secret.count
            } else {
                output.append(bytes[place])
                place += 1
            }
        }
        return Array(output.prefix(limit))
    }

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
        return kept + written
    }
}

extension ProfileCall {
    /// Names of the headers that `auth` writes, or that say what an answer held.
    var secretHeaders: Set<String> {
        Set((auth?.headers ?? []) + fields.filter { !$0.value.captured.isEmpty }.map(\.name))
    }
}

extension Span<UInt8> {
    fileprivate func has(_ text: [UInt8], at place: Int) -> Bool {
        guard place + text.count <= count else { return false }
        for index in text.indices where self[place + index] != text[index] { return false }
        return true
    }
}
