/// Clamps the limits that callers ask for.
package enum StoreRange {
    /// A limit of jobs, entries or maintenance items per call.
    package static func batch(_ limit: Int) -> Int { min(max(limit, 1), 10_000) }

    /// A page size.
    package static func page(_ limit: Int) -> Int { min(max(limit, 1), pageMax) }

    /// The maximum page size.
    package static let pageMax = 500

    /// The maximum number of jobs that one claim moves into the lines of their queues.
    package static let movedMax = 2_000
}
