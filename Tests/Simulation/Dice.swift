/// Reproducible chance: the same seed gives the same numbers (SplitMix64).
struct Dice: RandomNumberGenerator {
    private(set) var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// 0..<`count`; `count` is at least 1.
    mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

    /// One of `range`.
    mutating func among(_ range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

    /// True with this probability in percent.
    mutating func hits(_ percent: Int) -> Bool { below(100) < percent }

    /// One of a list that is not empty.
    mutating func pick<Element>(_ list: [Element]) -> Element { list[below(list.count)] }

    /// 0…1.
    mutating func share() -> Double { Double(next() >> 11) / 9_007_199_254_740_991 }

    /// Independent dice, so that the throws of one part of a simulation do not affect the others.
    mutating func fork() -> Dice { Dice(seed: next()) }
}
