// libFuzzer's hook for mutations of one's own (llvm.org/docs/LibFuzzer.html, "Structure-aware fuzzing").

import Basics

@_extern(c)
func LLVMFuzzerMutate(_ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ room: Int) -> Int

/// One mutation in four steps a number; the others are libFuzzer's. Gives the count of bytes that `data` holds then.
@_cdecl("LLVMFuzzerCustomMutator")
func mutate(_ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ room: Int, _ seed: UInt32) -> Int {
    guard seed & 3 == 0 else { return LLVMFuzzerMutate(data, count, room) }
    var step = NumberStep(near: eaten.bounds, seed: Seed(UInt64(seed)))
    guard let text = step.step(in: UnsafeBufferPointer(start: data, count: count).span), text.count <= room else {
        return LLVMFuzzerMutate(data, count, room)
    }
    data.update(from: text, count: text.count)
    return text.count
}
