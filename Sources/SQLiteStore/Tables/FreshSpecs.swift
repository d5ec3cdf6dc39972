import JobStore

/// A spec as it is stored, and read when it is known what it says.
struct FreshSpec {
    let bytes: [UInt8]
    var reading: KnownSpec?
}

/// The specs of jobs that are new and runnable, by number, so that their claims need not read them.
///
/// Bounded by what they weigh: when there are too many, those that came first are kept, because they are claimed first.
struct FreshSpecs {
    private var specs: [Int64: FreshSpec] = [:]
    private var weight = 0
    /// Some four thousand specs of a usual length.
    private static let weightMax = 3_500_000
    /// The weight of a spec besides its bytes and the value read of them.
    private static let weightOfOne = 512

    /// The number of specs.
    var count: Int { specs.count }

    /// Remembers the spec of a job that will be claimed soon, unless there is too much.
    mutating func remember(_ spec: FreshSpec, of number: Int64) {
        let more = Self.weight(of: spec)
        guard weight + more <= Self.weightMax else { return }
        weight += more
        specs[number] = spec
    }

    /// The spec of a job, once, when it is remembered.
    mutating func take(_ number: Int64) -> FreshSpec? {
        guard !specs.isEmpty, let spec = specs.removeValue(forKey: number) else { return nil }
        weight -= Self.weight(of: spec)
        return spec
    }

    private static func weight(of spec: FreshSpec) -> Int { weightOfOne + spec.bytes.count }
}
