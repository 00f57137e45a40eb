// The fields of one message as bytes in one buffer. Made for the data path: no string, no dictionary, and a cleared
// block keeps its memory for the next message.

import Basics

/// Header fields in order of arrival, names in lower case, pseudo-header fields of HTTP/2 among them with their colon.
/// Bind the block to a local `let` before asking for spans; they are valid until the next mutation.
package final class HeaderBlock {
    private struct Field {
        var start: Int32
        var nameEnd: Int32
        var valueEnd: Int32
        var neverIndexed: Bool
    }

    private var storage: UnsafeMutablePointer<UInt8>
    private var capacity = 512
    private var fields: UnsafeMutablePointer<Field>
    private var fieldCapacity = 16

    package private(set) var count = 0

    /// Bytes of all names and values.
    package private(set) var byteCount = 0

    package init() {
        storage = .allocate(capacity: capacity)
        fields = .allocate(capacity: fieldCapacity)
    }

    deinit {
        storage.deallocate()
        fields.deallocate()
    }

    /// Adds a field. `neverIndexed` asks HPACK for a never-indexed literal (RFC 7541 §6.2.3); HTTP/1.1 ignores it.
    package func append(name: Span<UInt8>, value: Span<UInt8>, neverIndexed: Bool = false) {
        name.withUnsafeBufferPointer { name in
            value.withUnsafeBufferPointer { value in
                append(name.baseAddress, name.count, value.baseAddress, value.count, neverIndexed)
            }
        }
    }

    package func append(_ name: StaticString, _ value: Span<UInt8>, neverIndexed: Bool = false) {
        value.withUnsafeBufferPointer { value in
            append(name.utf8Start, name.utf8CodeUnitCount, value.baseAddress, value.count, neverIndexed)
        }
    }

    package func append(_ name: StaticString, _ value: String, neverIndexed: Bool = false) {
        withBytes(of: value) { append(name, $0, neverIndexed: neverIndexed) }
    }

    package func append(name: String, value: String) {
        withBytes(of: name) { name in withBytes(of: value) { append(name: name, value: $0) } }
    }

    @_lifetime(borrow self)
    package func name(at index: Int) -> Span<UInt8> {
        precondition(index < count, "no such field")
        let field = fields[index]
        return _overrideLifetime(slice(field.start, field.nameEnd), borrowing: self)
    }

    @_lifetime(borrow self)
    package func value(at index: Int) -> Span<UInt8> {
        precondition(index < count, "no such field")
        let field = fields[index]
        return _overrideLifetime(slice(field.nameEnd, field.valueEnd), borrowing: self)
    }

    package func isNeverIndexed(at index: Int) -> Bool {
        precondition(index < count, "no such field")
        return fields[index].neverIndexed
    }

    /// The index of the first field of that (lower-case) name.
    package func index(of name: StaticString) -> Int? {
        for index in 0..<count where self.name(at: index).equals(name) { return index }
        return nil
    }

    /// The first value of that (lower-case) name as text. Not for the data path.
    package func text(_ name: StaticString) -> String? { index(of: name).map { value(at: $0).text } }

    /// Forgets the fields; keeps the memory unless it has grown past 16 KiB.
    package func clear() {
        count = 0
        byteCount = 0
        guard capacity > 16_384 else { return }
        storage.deallocate()
        capacity = 512
        storage = .allocate(capacity: capacity)
    }

    @_lifetime(borrow self)
    private func slice(_ start: Int32, _ end: Int32) -> Span<UInt8> {
        let bytes = Span<UInt8>(_unsafeStart: UnsafePointer(storage + Int(start)), count: Int(end - start))
        return _overrideLifetime(bytes, borrowing: self)
    }

    private func append(
        _ name: UnsafePointer<UInt8>?, _ nameCount: Int, _ value: UnsafePointer<UInt8>?, _ valueCount: Int,
        _ neverIndexed: Bool
    ) {
        let end = byteCount + nameCount + valueCount
        if end > capacity { growStorage(to: end) }
        if count == fieldCapacity { growFields() }
        if nameCount > 0 { (storage + byteCount).update(from: name!, count: nameCount) }
        if valueCount > 0 { (storage + byteCount + nameCount).update(from: value!, count: valueCount) }
        fields[count] = Field(
            start: Int32(byteCount), nameEnd: Int32(byteCount + nameCount), valueEnd: Int32(end),
            neverIndexed: neverIndexed)
        byteCount = end
        count += 1
    }

    private func growStorage(to needed: Int) {
        capacity = max(capacity * 2, needed)
        let grown = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        grown.update(from: storage, count: byteCount)
        storage.deallocate()
        storage = grown
    }

    private func growFields() {
        fieldCapacity *= 2
        let grown = UnsafeMutablePointer<Field>.allocate(capacity: fieldCapacity)
        grown.update(from: fields, count: count)
        fields.deallocate()
        fields = grown
    }
}
