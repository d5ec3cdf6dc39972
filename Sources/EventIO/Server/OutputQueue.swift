/// The output of a connection, oldest bytes first.
///
/// Small pieces are gathered in one array, so that the answers to pipelined requests leave in one write. Large pieces
/// are kept without a copy.
struct OutputQueue {
    /// Complete pieces that are written first; the first one from `offset`.
    private var segments: [[UInt8]] = []
    /// The objects to release when a segment has been written, by its index.
    private var holds: [Int: any AnyObject & Sendable] = [:]
    private var firstSegment = 0
    /// The gathered bytes, after all segments.
    private(set) var tail: [UInt8] = []
    /// The written part of the first piece.
    private var offset = 0
    /// The number of unsent bytes.
    private(set) var count = 0

    /// The size from which a piece is not copied.
    private static let ownSegmentBytesMin = 16 << 10
    /// The maximum memory that an empty queue keeps.
    private static let keptBytesMax = 4 << 10

    var isEmpty: Bool { count == 0 }

    /// Appends the bytes that `body` adds.
    @inline(__always)
    mutating func append(_ body: (inout [UInt8]) -> Void) {
        let before = tail.count
        body(&tail)
        count += tail.count - before
    }

    /// - Parameter hold: kept until the bytes have been written or dropped.
    mutating func append(_ bytes: [UInt8], holding hold: (any AnyObject & Sendable)? = nil) {
        count += bytes.count
        guard bytes.count >= OutputQueue.ownSegmentBytesMin || hold != nil && !bytes.isEmpty else {
            tail.append(contentsOf: bytes)
            return
        }
        if !tail.isEmpty {
            segments.append(tail)
            tail = []
        }
        if let hold { holds[segments.count] = hold }
        segments.append(bytes)
    }

    /// Passes the oldest piece to `write` repeatedly, until all is written or `write` takes nothing.
    ///
    /// - Parameter write: receives a piece, the offset in it, and whether more follows at once; returns the number of
    ///   bytes taken.
    /// - Returns: the total number of bytes taken.
    mutating func drain(_ write: ([UInt8], Int, Bool) -> Int) -> Int {
        var total = 0
        while count > 0 {
            let isSegment = firstSegment < segments.count
            let piece = isSegment ? segments[firstSegment] : tail
            let length = piece.count
            let taken = write(piece, offset, count > length - offset)
            guard taken > 0 else { return total }
            total += taken
            count -= taken
            offset += taken
            guard offset == length else { continue }
            offset = 0
            if isSegment { dropSegment() } else { clearTail() }
        }
        return total
    }

    mutating func removeAll() {
        self = OutputQueue()
    }

    private mutating func dropSegment() {
        segments[firstSegment] = []
        if !holds.isEmpty { holds[firstSegment] = nil }
        firstSegment += 1
        if firstSegment == segments.count {
            segments.removeAll(keepingCapacity: true)
            firstSegment = 0
        }
    }

    private mutating func clearTail() {
        if tail.capacity > OutputQueue.keptBytesMax {
            tail = []
        } else {
            tail.removeAll(keepingCapacity: true)
        }
    }
}
