// Memory for nghttp2's sessions, handed to it as nghttp2_mem: free lists by size class over large slabs. A session's
// big frame buffer starts on a page of its own, so the pages that an idle session never touches stay unbacked.

import CNghttp2
import Glibc

/// One loop's allocator for nghttp2. Confined to the loop; memory goes back to the lists, never to the system. Its state
/// lies in raw memory, because it is asked several times for each request and reference counting would show.
final class HTTP2Memory {
    private let state: UnsafeMutablePointer<AllocatorState>
    private(set) var mem = nghttp2_mem()

    init() {
        state = .allocate(capacity: 1)
        state.initialize(to: AllocatorState())
        mem.mem_user_data = UnsafeMutableRawPointer(state)
        mem.malloc = { size, user in AllocatorState.at(user).pointee.allocate(size) }
        mem.free = { pointer, user in AllocatorState.at(user).pointee.free(pointer) }
        mem.calloc = { count, size, user in
            let bytes = count * size
            let pointer = AllocatorState.at(user).pointee.allocate(bytes)
            if let pointer { memset(pointer, 0, bytes) }
            return pointer
        }
        mem.realloc = { pointer, size, user in AllocatorState.at(user).pointee.reallocate(pointer, size) }
    }

    deinit {
        state.pointee.releaseSlabs()
        state.deinitialize(count: 1)
        state.deallocate()
    }
}

private struct AllocatorState {
    /// Stands before each block: its class while in use, the next free one while not. Slabs are linked the same way.
    private struct Header {
        var sizeClass: Int
        var next: UnsafeMutableRawPointer?
    }

    private static let headerBytes = 16
    private static let pageBytes = 4_096
    private static let slabBytes = 1 << 18
    private static let largestSmall = 4_608

    /// Bytes of each class, header included.
    private let sizes: UnsafeMutablePointer<Int>
    /// The class for a number of 16-byte units, up to `largestSmall`.
    private let classes: UnsafeMutablePointer<UInt8>
    private let lists: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private let classCount: Int
    private var slab: UnsafeMutableRawPointer?
    private var slabLeft = 0
    private var firstSlab: UnsafeMutableRawPointer?

    init() {
        let bytes = [48, 64, 96, 128, 192, 256, 384, 512, 1_024, 1_536, 2_048, 3_072, 4_096, 4_608, 8_192, 20_480, 40_960]
        classCount = bytes.count
        sizes = .allocate(capacity: bytes.count)
        lists = .allocate(capacity: bytes.count)
        lists.initialize(repeating: nil, count: bytes.count)
        for (index, size) in bytes.enumerated() { (sizes + index).initialize(to: size) }
        let units = Self.largestSmall / 16 + 1
        classes = .allocate(capacity: units)
        for unit in 0..<units {
            (classes + unit).initialize(to: UInt8(bytes.firstIndex { $0 >= unit * 16 } ?? 0))
        }
    }

    @inline(__always)
    static func at(_ user: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<AllocatorState> {
        user!.assumingMemoryBound(to: AllocatorState.self)
    }

    mutating func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
        let needed = size + Self.headerBytes
        let sizeClass: Int
        if needed <= Self.largestSmall {
            sizeClass = Int(classes[(needed + 15) / 16])
        } else if needed <= sizes[classCount - 1] {
            sizeClass =
                needed <= sizes[classCount - 3]
                ? classCount - 3 : needed <= sizes[classCount - 2] ? classCount - 2 : classCount - 1
        } else {
            return allocateLarge(size)
        }
        let block: UnsafeMutableRawPointer
        if let reused = lists[sizeClass] {
            lists[sizeClass] = reused.assumingMemoryBound(to: Header.self).pointee.next
            block = reused
        } else {
            block = carve(sizes[sizeClass])
        }
        block.storeBytes(of: Header(sizeClass: sizeClass, next: nil), as: Header.self)
        return block + Self.headerBytes
    }

    mutating func free(_ pointer: UnsafeMutableRawPointer?) {
        guard let pointer else { return }
        let block = pointer - Self.headerBytes
        let header = block.assumingMemoryBound(to: Header.self)
        let sizeClass = header.pointee.sizeClass
        guard sizeClass >= 0 else {
            Glibc.free(block)
            return
        }
        header.pointee.next = lists[sizeClass]
        lists[sizeClass] = block
    }

    mutating func reallocate(_ pointer: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer? {
        guard let pointer else { return allocate(size) }
        let sizeClass = (pointer - Self.headerBytes).assumingMemoryBound(to: Header.self).pointee.sizeClass
        let room = (sizeClass >= 0 ? sizes[sizeClass] : -sizeClass) - Self.headerBytes
        if size <= room { return pointer }
        guard let fresh = allocate(size) else { return nil }
        memcpy(fresh, pointer, room)
        free(pointer)
        return fresh
    }

    mutating func releaseSlabs() {
        while let slab = firstSlab {
            firstSlab = slab.assumingMemoryBound(to: Header.self).pointee.next
            munmap(slab, Self.slabBytes)
        }
        sizes.deallocate()
        classes.deallocate()
        lists.deallocate()
    }

    /// Beyond the classes: the system's allocator, with the size kept as a negative class.
    private func allocateLarge(_ size: Int) -> UnsafeMutableRawPointer? {
        guard let block = Glibc.malloc(size + Self.headerBytes) else { return nil }
        block.storeBytes(of: Header(sizeClass: -(size + Self.headerBytes), next: nil), as: Header.self)
        return block + Self.headerBytes
    }

    private mutating func carve(_ size: Int) -> UnsafeMutableRawPointer {
        if size >= 16_384, let slab {
            // Start big blocks on a page boundary; the gap before them is lost, once per block.
            let misaligned = Int(bitPattern: slab) % Self.pageBytes
            if misaligned > 0 {
                let gap = min(Self.pageBytes - misaligned, slabLeft)
                self.slab = slab + gap
                slabLeft -= gap
            }
        }
        if slabLeft < size {
            let fresh = mmap(nil, Self.slabBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            guard let fresh, fresh != MAP_FAILED else { fatalError("out of memory for HTTP/2 sessions") }
            fresh.storeBytes(of: Header(sizeClass: 0, next: firstSlab), as: Header.self)
            firstSlab = fresh
            slab = fresh + Self.headerBytes
            slabLeft = Self.slabBytes - Self.headerBytes
        }
        let block = slab!
        slab = block + size
        slabLeft -= size
        return block
    }
}
