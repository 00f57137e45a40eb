// Memory for nghttp2's sessions, handed to it as nghttp2_mem: free lists by size class over large slabs. A session's
// big frame buffer starts on a page of its own, so the pages that an idle session never touches stay unbacked.

import CNghttp2
import Glibc

/// One loop's allocator for nghttp2. Confined to the loop; memory goes back to the lists, never to the system.
final class HTTP2Memory {
    private struct Header {
        var sizeClass: Int
        var next: UnsafeMutableRawPointer?
    }

    private static let headerBytes = 16
    private static let pageBytes = 4_096
    private static let slabBytes = 1 << 18
    /// Bytes of each class, header included.
    private static let sizes = [48, 64, 96, 128, 192, 256, 384, 512, 1_024, 1_536, 2_048, 3_072, 4_096, 8_192, 20_480, 40_960]

    private var lists = [UnsafeMutableRawPointer?](repeating: nil, count: HTTP2Memory.sizes.count)
    private var slab: UnsafeMutableRawPointer?
    private var slabLeft = 0
    private var slabs: [UnsafeMutableRawPointer] = []
    private(set) var mem = nghttp2_mem()

    init() {
        mem.mem_user_data = Unmanaged.passUnretained(self).toOpaque()
        mem.malloc = { size, user in HTTP2Memory.of(user).allocate(size) }
        mem.free = { pointer, user in HTTP2Memory.of(user).free(pointer) }
        mem.calloc = { count, size, user in
            let bytes = count * size
            let pointer = HTTP2Memory.of(user).allocate(bytes)
            if let pointer { memset(pointer, 0, bytes) }
            return pointer
        }
        mem.realloc = { pointer, size, user in HTTP2Memory.of(user).reallocate(pointer, size) }
    }

    deinit { for slab in slabs { munmap(slab, Self.slabBytes) } }

    private static func of(_ user: UnsafeMutableRawPointer?) -> HTTP2Memory {
        Unmanaged<HTTP2Memory>.fromOpaque(user!)._withUnsafeGuaranteedRef { $0 }
    }

    private func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
        let needed = size + Self.headerBytes
        guard let sizeClass = Self.sizeClass(for: needed) else { return allocateLarge(size) }
        let block: UnsafeMutableRawPointer
        if let reused = lists[sizeClass] {
            lists[sizeClass] = reused.load(as: Header.self).next
            block = reused
        } else {
            block = carve(Self.sizes[sizeClass])
        }
        block.storeBytes(of: Header(sizeClass: sizeClass, next: nil), as: Header.self)
        return block + Self.headerBytes
    }

    private func free(_ pointer: UnsafeMutableRawPointer?) {
        guard let pointer else { return }
        let block = pointer - Self.headerBytes
        let sizeClass = block.load(as: Header.self).sizeClass
        guard sizeClass >= 0 else {
            Glibc.free(block)
            return
        }
        block.storeBytes(of: Header(sizeClass: sizeClass, next: lists[sizeClass]), as: Header.self)
        lists[sizeClass] = block
    }

    private func reallocate(_ pointer: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer? {
        guard let pointer else { return allocate(size) }
        let block = pointer - Self.headerBytes
        let sizeClass = block.load(as: Header.self).sizeClass
        let room = (sizeClass >= 0 ? Self.sizes[sizeClass] : -sizeClass) - Self.headerBytes
        if size <= room { return pointer }
        guard let fresh = allocate(size) else { return nil }
        memcpy(fresh, pointer, room)
        free(pointer)
        return fresh
    }

    /// Beyond the classes: the system's allocator, with the size kept as a negative class.
    private func allocateLarge(_ size: Int) -> UnsafeMutableRawPointer? {
        guard let block = Glibc.malloc(size + Self.headerBytes) else { return nil }
        block.storeBytes(of: Header(sizeClass: -(size + Self.headerBytes), next: nil), as: Header.self)
        return block + Self.headerBytes
    }

    private func carve(_ size: Int) -> UnsafeMutableRawPointer {
        if size >= 8_192, let slab {
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
            slabs.append(fresh)
            slab = fresh
            slabLeft = Self.slabBytes
        }
        let block = slab!
        slab = block + size
        slabLeft -= size
        return block
    }

    private static func sizeClass(for needed: Int) -> Int? {
        sizes.firstIndex { $0 >= needed }
    }
}
