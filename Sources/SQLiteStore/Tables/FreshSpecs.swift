import JobStore

/// The bytes of a stored spec, with the parsed spec if known.
struct FreshSpec {
    let bytes: [UInt8]
    var reading: KnownSpec?
}

/// The specs of new runnable jobs, by number, so that their claims need not read them.
///
/// Bounded by weight: when full, it keeps the oldest specs, because they are claimed first.
struct FreshSpecs {
    private var specs: [Int64: FreshSpec] = [:]
    private var weight = 0
    /// About four thousand specs of usual size.
    private static let weightMax = 3_500_000
    /// The weight of a spec besides its bytes and their parsed value.
    private static let weightOfOne = 512

    var count: Int { specs.count }

    /// Adds the spec of a job that will be claimed soon, unless the cache is full.
    mutating func remember(_ spec: FreshSpec, of number: Int64) {
        let more = Self.weight(of: spec)
        guard weight + more <= Self.weightMax else { return }
        weight += more
        specs[number] = spec
    }

    /// Removes and returns the spec of a job, if present.
    mutating func take(_ number: Int64) -> FreshSpec? {
        guard !specs.isEmpty, let spec = specs.removeValue(forKey: number) else { return nil }
        weight -= Self.weight(of: spec)
        return spec
    }

    private static func weight(of spec: FreshSpec) -> Int { weightOfOne + spec.bytes.count }
}
