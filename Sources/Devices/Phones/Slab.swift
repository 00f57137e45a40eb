// Rows in chunks that never move, so that a million of them cost their own size and no more.

/// Rows by their places. A place that is freed is used again.
struct Slab<Row>: ~Copyable {
    private static var rowsPerChunk: Int { 64 }

    private var chunks: [UnsafeMutablePointer<Row>] = []
    private var free: [Int32] = []
    private var used = 0
    private let blank: Row

    init(blank: Row) { self.blank = blank }

    deinit {
        for chunk in chunks {
            chunk.deinitialize(count: Self.rowsPerChunk)
            chunk.deallocate()
        }
    }

    subscript(place: Int32) -> Row {
        _read { yield chunks[Int(place) / Self.rowsPerChunk][Int(place) % Self.rowsPerChunk] }
        nonmutating _modify { yield &chunks[Int(place) / Self.rowsPerChunk][Int(place) % Self.rowsPerChunk] }
    }

    mutating func add(_ row: Row) -> Int32 {
        let place: Int32
        if let freed = free.popLast() {
            place = freed
        } else {
            if used == chunks.count * Self.rowsPerChunk {
                let chunk = UnsafeMutablePointer<Row>.allocate(capacity: Self.rowsPerChunk)
                chunk.initialize(repeating: blank, count: Self.rowsPerChunk)
                chunks.append(chunk)
            }
            place = Int32(used)
            used += 1
        }
        self[place] = row
        return place
    }

    mutating func remove(_ place: Int32) {
        self[place] = blank
        free.append(place)
    }

    /// Places that were ever used, freed ones included.
    var places: Range<Int32> { 0..<Int32(used) }
}
