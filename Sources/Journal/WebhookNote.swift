// A webhook of the relay's, as it came, written before it was answered. Its body is not kept, for it may hold anything.

package import Basics
package import Pushes

package struct WebhookNote: Hashable, Sendable {
    package enum Signature: String, Hashable, Sendable {
        /// None is asked for.
        case unasked
        case right, wrong, missing
        /// Right, but of a time that is too far from now.
        case old
    }

    /// Of a text of the webhook's no more is kept.
    package static let mostBytes = 256

    /// What it says it is about; empty where it does not.
    package var event: String
    /// Its own id.
    package var id: String?
    /// The first that its body holds, of whatever run.
    package var marker: Marker?
    package var token: String?
    package var signature: Signature
    /// What it is answered; 0: nothing, ever.
    package var status: UInt16

    package init(
        event: String, id: String? = nil, marker: Marker? = nil, token: String? = nil, signature: Signature, status: UInt16
    ) {
        self.event = event
        self.id = id
        self.marker = marker
        self.token = token
        self.signature = signature
        self.status = status
    }
}

extension JournalWriter {
    package func append(_ note: WebhookNote, at instant: Instant) {
        append(
            .webhook,
            [
                "event": .string(note.event), "id": note.id.map { .string($0) } ?? .null,
                "marker": note.marker.map { .string($0.text) } ?? .null, "token": note.token.map { .string($0) } ?? .null,
                "signature": .string(note.signature.rawValue), "status": .integer(Int64(note.status)),
            ], at: instant)
    }
}

extension NoteEntry {
    /// Nil for every other note, and for one that is not whole.
    package var webhook: WebhookNote? {
        guard let json = json(of: .webhook), let event = json["event"]?.string,
            let signature = json["signature"]?.string.flatMap({ WebhookNote.Signature(rawValue: $0) }),
            let status = json["status"]?.int.flatMap({ UInt16(exactly: $0) })
        else { return nil }
        return WebhookNote(
            event: event, id: json["id"]?.string,
            marker: json["marker"]?.string.flatMap { text in withBytes(of: text) { Marker.find(in: $0) } },
            token: json["token"]?.string, signature: signature, status: status)
    }
}
