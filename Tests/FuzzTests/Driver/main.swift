// The fuzz targets as a program under libFuzzer:
//
//     fuzz --list                       a line for each target: its name, its longest input, its dictionaries
//     fuzz TARGET [libFuzzer's options and corpora]

import Basics
import Glibc
import OperatingSystem

/// libFuzzer's own main without the main (llvm.org/docs/LibFuzzer.html, "Using libFuzzer as a library").
@_extern(c)
func LLVMFuzzerRunDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ eat: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

nonisolated(unsafe) var eater: (any FuzzEater)!
nonisolated(unsafe) var eaten: FuzzTarget!

let words = CommandLine.arguments
if words.dropFirst().first == "--list" {
    for target in FuzzTarget.all { print(target.name, target.maxBytes, target.dictionaries.joined(separator: ",")) }
    exit(0)
}
// A merge runs the program again with libFuzzer's arguments alone; then the environment names the target.
let first = words.dropFirst().first ?? ""
let isNamed = FuzzTarget.all.contains { $0.name == first }
let name = isNamed ? first : getenv("PUSHRIG_FUZZ_TARGET").map { String(cString: $0) } ?? first
guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
    print("fuzz: name one of: \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
    exit(2)
}
setenv("PUSHRIG_FUZZ_TARGET", name, 1)
eaten = target
let folder = try FuzzFolder()
eater = try target.make(folder.path)

// The target's name is ours; libFuzzer sees what is behind it.
let skipped = isNamed ? 1 : 0
var count = CommandLine.argc - Int32(skipped)
var arguments = CommandLine.unsafeArgv + skipped
arguments[0] = CommandLine.unsafeArgv[0]
let result = LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
    do throws(Violation) {
        try eater.eat(UnsafeBufferPointer(start: bytes, count: count).span)
        return 0
    } catch {
        fatalError(error.description)
    }
}
eater = nil
FileSystem.removeAll(folder.path)
exit(result)
