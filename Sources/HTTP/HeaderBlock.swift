// The fields of one message as bytes in one buffer. Made for the data path: no string, no dictionary, and a cleared
// block keeps its memory for the next message.

import Basics
import Glibc

/// Header fields in order of arrival, names in lower case, pseudo-header fields of HTTP/2 among them with their colon.
/// Bind the block to a local `let` before asking for spans; they are valid until the next mutation.
package final class HeaderBlock {
    private struct Field: Equatable {
        var nameStart: Int32
        var nameCount: Int32
        var valueStart: Int32
        var valueCount: Int32
        var neverIndexed: Bool
    }

    /// A cleared block gives back a buffer larger than this.
    private static let keptBytes = 4_096

    private var storage: UnsafeMutablePointer<UInt8>
    private var capacity = 512
    private var used = 0
    private var fields: UnsafeMutablePointer<Field>
    private var fieldCapacity = 16

    // Private, and read through computed properties: what other modules can see is checked for exclusive access at
    // run time, at several times the cost of the access.
    private var fieldCount = 0
    private var fieldBytes = 0

    package var count: Int { fieldCount }

    /// Bytes of all names and values.
    package var byteCount: Int { fieldBytes }

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
        let room = room(name.count + value.count)
        name.withUnsafeBufferPointer { if let start = $0.baseAddress { room.update(from: start, count: $0.count) } }
        value.withUnsafeBufferPointer {
            if let start = $0.baseAddress { (room + name.count).update(from: start, count: $0.count) }
        }
        commit(nameCount: name.count, valueCount: value.count, neverIndexed: neverIndexed)
    }

    package func append(_ name: StaticString, _ value: Span<UInt8>, neverIndexed: Bool = false) {
        name.withUTF8Buffer { append(name: $0.span, value: value, neverIndexed: neverIndexed) }
    }

    package func append(_ name: StaticString, _ value: String, neverIndexed: Bool = false) {
        withBytes(of: value) { append(name, $0, neverIndexed: neverIndexed) }
    }

    package func append(name: String, value: String) {
        withBytes(of: name) { name in withBytes(of: value) { append(name: name, value: $0) } }
    }

    @_lifetime(borrow self)
    package func name(at index: Int) -> Span<UInt8> {
        let field = field(index)
        return span(field.nameStart, field.nameCount)
    }

    @_lifetime(borrow self)
    package func value(at index: Int) -> Span<UInt8> {
        let field = field(index)
        return span(field.valueStart, field.valueCount)
    }

    package func isNeverIndexed(at index: Int) -> Bool { field(index).neverIndexed }

    /// The index of the first field of that (lower-case) name.
    package func index(of name: StaticString) -> Int? {
        let length = name.utf8CodeUnitCount
        let wanted = name.utf8Start
        for index in 0..<fieldCount where Int(fields[index].nameCount) == length {
            if memcmp(storage + Int(fields[index].nameStart), wanted, length) == 0 { return index }
        }
        return nil
    }

    /// The first value of that (lower-case) name as text. Not for the data path.
    package func text(_ name: StaticString) -> String? { index(of: name).map { value(at: $0).text } }
    /// The same for a name that is not known beforehand, in lower case.
    package func text(named name: String) -> String? {
        (0..<count).first { self.name(at: $0).text == name }.map { value(at: $0).text }
    }

    /// Adds the fields of another block.
    package func append(contentsOf other: HeaderBlock) {
        room(other.used).update(from: other.storage, count: other.used)
        while fieldCount + other.fieldCount > fieldCapacity { growFields() }
        for index in 0..<other.fieldCount {
            var field = other.fields[index]
            field.nameStart += Int32(used)
            field.valueStart += Int32(used)
            fields[fieldCount + index] = field
        }
        fieldCount += other.fieldCount
        fieldBytes += other.fieldBytes
        used += other.used
    }

    /// The same fields in the same order, in blocks that were filled in one way.
    package func isSame(as other: HeaderBlock) -> Bool {
        guard fieldCount == other.fieldCount, used == other.used else { return false }
        for index in 0..<fieldCount where fields[index] != other.fields[index] { return false }
        return memcmp(storage, other.storage, used) == 0
    }

    /// The same fields in the same order; the one at that place may have another value.
    package func isSame(as other: HeaderBlock, butForValueAt free: Int) -> Bool {
        guard fieldCount == other.fieldCount else { return false }
        for index in 0..<fieldCount {
            let (mine, its) = (fields[index], other.fields[index])
            guard mine.nameCount == its.nameCount, mine.neverIndexed == its.neverIndexed,
                memcmp(storage + Int(mine.nameStart), other.storage + Int(its.nameStart), Int(mine.nameCount)) == 0,
                index == free || hasSameValue(as: other, at: index)
            else { return false }
        }
        return true
    }

    /// Whether the fields at that place have one value.
    package func hasSameValue(as other: HeaderBlock, at index: Int) -> Bool {
        let (mine, its) = (field(index), other.field(index))
        return mine.valueCount == its.valueCount
            && memcmp(storage + Int(mine.valueStart), other.storage + Int(its.valueStart), Int(mine.valueCount)) == 0
    }

    package func clear() {
        fieldCount = 0
        fieldBytes = 0
        used = 0
        if capacity > Self.keptBytes {
            storage.deallocate()
            capacity = 512
            storage = .allocate(capacity: capacity)
        }
    }

    // MARK: For the parsers of this module, which write a field where it will stay

    /// Where the next field's name goes, its value right behind it: room for `bytes` bytes and eight to spare.
    func room(_ bytes: Int) -> UnsafeMutablePointer<UInt8> {
        if used + bytes + 8 > capacity { grow(by: bytes + 8) }
        return storage + used
    }

    /// Adds the field whose name and value have been written into the room.
    func commit(nameCount: Int, valueCount: Int, neverIndexed: Bool = false) {
        if fieldCount == fieldCapacity { growFields() }
        fields[fieldCount] = Field(
            nameStart: Int32(used), nameCount: Int32(nameCount), valueStart: Int32(used + nameCount),
            valueCount: Int32(valueCount), neverIndexed: neverIndexed)
        fieldCount += 1
        used += nameCount + valueCount
        fieldBytes += nameCount + valueCount
    }

    /// Gives the last field's value to the field at `index` and drops the last field.
    func moveLastValue(to index: Int) {
        let last = fields[fieldCount - 1]
        fieldBytes -= Int(last.nameCount + fields[index].valueCount)
        fields[index].valueStart = last.valueStart
        fields[index].valueCount = last.valueCount
        fieldCount -= 1
    }

    func remove(at index: Int) {
        fieldBytes -= Int(fields[index].nameCount + fields[index].valueCount)
        for later in index + 1..<max(fieldCount, index + 1) { fields[later - 1] = fields[later] }
        fieldCount -= 1
    }

    func rawName(_ index: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: storage + Int(fields[index].nameStart), count: Int(fields[index].nameCount))
    }

    func rawValue(_ index: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: storage + Int(fields[index].valueStart), count: Int(fields[index].valueCount))
    }

    private func field(_ index: Int) -> Field {
        precondition(index >= 0 && index < fieldCount, "no such field in this head")
        return fields[index]
    }

    @_lifetime(borrow self)
    private func span(_ start: Int32, _ count: Int32) -> Span<UInt8> {
        let span = Span<UInt8>(_unsafeStart: UnsafePointer(storage + Int(start)), count: Int(count))
        return _overrideLifetime(span, borrowing: self)
    }

    private func grow(by bytes: Int) {
        precondition(used + bytes < Int(Int32.max), "a head is far smaller than 2 GB")
        let larger = max(2 * capacity, used + bytes)
        let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        fresh.update(from: storage, count: used)
        storage.deallocate()
        (storage, capacity) = (fresh, larger)
    }

    private func growFields() {
        let fresh = UnsafeMutablePointer<Field>.allocate(capacity: 2 * fieldCapacity)
        fresh.update(from: fields, count: fieldCapacity)
        fields.deallocate()
        (fields, fieldCapacity) = (fresh, 2 * fieldCapacity)
    }
}
