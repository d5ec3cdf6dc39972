/// Counts two kinds of things over a stretch of time that moves along, in slices.
struct SlidingCount: Sendable {
    private static let sliceCount = 10
    private let sliceMilliseconds: Int64
    private var slices = [(all: Int, marked: Int)](repeating: (0, 0), count: sliceCount)
    /// The number of the newest slice, counted from 1970.
    private var newest: Int64 = 0

    init(over window: Duration) {
        sliceMilliseconds = max(1, window.wholeMilliseconds / Int64(Self.sliceCount))
    }

    /// Counts one thing.
    mutating func add(isMarked: Bool, at now: Timestamp) {
        move(to: now)
        let index = Int(newest % Int64(Self.sliceCount))
        slices[index].all += 1
        if isMarked { slices[index].marked += 1 }
    }

    /// The sums of all events, and of the marked ones.
    mutating func sums(at now: Timestamp) -> (all: Int, marked: Int) {
        move(to: now)
        return slices.reduce((0, 0)) { ($0.0 + $1.all, $0.1 + $1.marked) }
    }

    mutating func clear() { slices = Array(repeating: (0, 0), count: Self.sliceCount) }

    /// Drops old slices. When the clock was set back, events count in the newest slice.
    private mutating func move(to now: Timestamp) {
        let number = max(0, now.milliseconds) / sliceMilliseconds
        guard number > newest else { return }
        if number - newest >= Int64(Self.sliceCount) {
            clear()
        } else {
            for old in (newest + 1)...number { slices[Int(old % Int64(Self.sliceCount))] = (0, 0) }
        }
        newest = number
    }
}
