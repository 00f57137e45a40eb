// Files that are compiled in.

internal import CFiles

/// The text of a compiled-in file, by its name in Sources/CFiles/files.c.
package func compiledFile(_ name: String) -> String {
    let file = compiled_file(name)
    guard let bytes = file.bytes else { preconditionFailure("no file `\(name)` is compiled in") }
    return String(decoding: UnsafeBufferPointer(start: bytes, count: file.count), as: UTF8.self)
}
