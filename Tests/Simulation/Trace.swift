/// The events of a run, as one number that two equal runs share, and as text for display.
struct Trace {
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    /// Whether every line is printed.
    let isShown: Bool

    /// Records an event.
    mutating func note(
        _ time: Int64, _ kind: UInt8, _ first: Int64, _ second: Int64 = 0, _ text: () -> String
    ) {
        mix(UInt64(bitPattern: time) << 8 | UInt64(kind))
        mix(UInt64(bitPattern: first))
        mix(UInt64(bitPattern: second))
        guard isShown else { return }
        let seconds = time / 1_000_000
        let rest = String(time % 1_000_000 + 1_000_000).dropFirst()
        print("\(seconds).\(rest)  \(text())")
    }

    private mutating func mix(_ value: UInt64) {
        hash = (hash ^ value) &* 0x0000_0100_0000_01B3 ^ (hash >> 29)
    }
}
