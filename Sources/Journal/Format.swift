// How a journal file looks. All numbers are little-endian; records and the header are multiples of 8 bytes long.
//
//     file    header, record, record, …
//
//     header  0 "PushRigJ"   8 u32 version   12 u32 length   16 u64 salt   24 i64 instant   32 i64 wall
//             40 u64[2] boot   56 u16 tag   58 u16 name length   60 u32 process   64 name … padding
//             last 8: XXH3-64 of all before
//
//     record  0 u64 checksum   8 u32 length   12 u8 kind   13 u8 flags   14 u16 count   16 i64 instant   24 …
//
//     blob    16 i64 content length   24 content                     (no instant)
//     push    24 u64 connection   32 i32 stream   36 u8 provider, above its four low bits the kind of request
//             37 u8 environment   38 u16 status
//             40 i64 timestamp in ms   48 i64 delay   56 u32 fault rule   60 u8 reason length
//             61 u8 outcome, 0 when none   62 u8 fault action, 0 when none
//             63 u8 `aps.event`: 0 none, 255 a word that is no event
//             64 u64[2] apns-id   80 u64 body's blob, 0 when empty   88 u32 body length
//             92 u32 warnings
//             96 flag 2: i64 `aps.timestamp`; flag 4: the marker, u32 run, u32 session, u32 step
//             then reason, then `count` fields: u16 name length, u16 value length, name, value
//             (top bit of the name length: instead of the value stands the u64 offset of its blob)
//             flag 8: behind the fields, u8 the cause of a refused credential
//     event   24 u32 session   28 u32 step   32 u16 kind   34 u16 status   36 u8 failure   37 u8 attempts
//             38 u16 answer length   40 i64 planned   48 i64 sent   56 i64 answered   64 i64 lateness
//             72 u64 answer's blob, 0 when empty                    (its instant is the latest of the three)
//     note    24 u32 text length   32 text                           (`count` is the note's kind)
//
// A checksum covers bytes 8..<length and, by the file's salt and the record's offset, the place where it stands: a
// record that was moved, or forged inside a body, is none. A blob always stands before the records that refer to it,
// by its file offset, so a reader needs no index. An entry's id is `tag << 40 | offset / 8`: the tag is unique in the
// directory and below 2^13, which keeps ids below 2^53, where JSON numbers are still exact.
//
// Numbers for words (provider, environment, outcome, event, kinds) are raw values that never change; a new one, as any
// other change that an older reader would not understand, is a new version. Version 2: event, `aps.timestamp` and
// marker of a push, and its outcome as a number; version 1 had the outcome's word and none of these.

enum Format {
    static let magic: UInt64 = 0x4A67_6952_6873_7550  // "PushRigJ"
    static let version: UInt32 = 2
    static let suffix = ".journal"

    static let fixedHeaderLength = 64
    static let maxHeaderLength = 256
    static let maxNameLength = 64
    static let maxTag = 8191

    static let recordHeaderLength = 24
    static let pushLength = 96
    static let eventLength = 80
    static let noteLength = 32

    /// Longer ones are cut, or for notes replaced, when written.
    static let maxBodyBytes = 8 << 20
    static let maxFieldBytes = 1 << 20
    static let maxNoteBytes = 15 << 20
    /// No record is longer; a length beyond it is damage.
    static let maxRecordLength = 16 << 20

    /// Flag: the request was larger than is kept.
    static let cutFlag: UInt8 = 1
    /// Flags: the payload's timestamp is there; the marker is there.
    static let stampFlag: UInt8 = 2
    static let markerFlag: UInt8 = 4
    /// Flag: behind the fields stands why the credential was refused. Older readers look no further than the fields.
    static let causeFlag: UInt8 = 8
    static let stampLength = 8
    static let markerLength = 12
    /// Instead of an event: a word that is none.
    static let unknownEvent: UInt8 = 255
    static let blobBit: UInt16 = 0x8000

    static func padded(_ length: Int) -> Int { (length + 7) & ~7 }

    static func id(tag: UInt16, offset: Int) -> UInt64 { UInt64(tag) << 40 | UInt64(offset) >> 3 }
}

enum RecordKind: UInt8 {
    case blob = 1
    case push = 2
    case event = 3
    case note = 4
}

extension UnsafeRawPointer {
    func value<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: T.Type) -> T {
        T(littleEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
    }
}

extension UnsafeMutableRawPointer {
    func put<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, at offset: Int) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
    }
}
