/// Bytes on their way to a client, oldest first.
///
/// Small pieces are gathered in one array, so that the answers to pipelined requests leave in one write. Large pieces
/// are kept as they are, without a copy.
struct OutputQueue {
    /// Complete pieces that are written first; the first one from `offset` on.
    private var segments: [[UInt8]] = []
    private var firstSegment = 0
    /// What is gathered, after all segments.
    private(set) var tail: [UInt8] = []
    /// How much of the first piece has been written.
    private var offset = 0
    /// How many bytes wait.
    private(set) var count = 0

    /// From this size on a piece is not copied.
    private static let ownSegmentBytesMin = 16 << 10
    /// More memory than this is not kept by an empty queue.
    private static let keptBytesMax = 4 << 10

    /// Whether nothing waits.
    var isEmpty: Bool { count == 0 }

    /// Lets `body` add bytes at the end.
    @inline(__always)
    mutating func append(_ body: (inout [UInt8]) -> Void) {
        let before = tail.count
        body(&tail)
        count += tail.count - before
    }

    /// Adds a piece at the end.
    mutating func append(_ bytes: [UInt8]) {
        count += bytes.count
        guard bytes.count >= OutputQueue.ownSegmentBytesMin else {
            tail.append(contentsOf: bytes)
            return
        }
        if !tail.isEmpty {
            segments.append(tail)
            tail = []
        }
        segments.append(bytes)
    }

    /// Hands the oldest piece to `write` again and again, until all is written or `write` takes nothing.
    ///
    /// - Parameter write: gets a piece, where to begin in it, and whether more will follow at once; returns how many
    ///   bytes it took.
    /// - Returns: how many bytes were taken in all.
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

    /// Forgets everything.
    mutating func removeAll() {
        self = OutputQueue()
    }

    private mutating func dropSegment() {
        segments[firstSegment] = []
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
