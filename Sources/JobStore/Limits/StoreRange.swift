/// The ranges of counts that callers may ask for; what lies outside is moved inside.
package enum StoreRange {
    /// How many jobs, entries or pieces of upkeep one call may concern.
    package static func batch(_ limit: Int) -> Int { min(max(limit, 1), 10_000) }

    /// How many jobs a page may have.
    package static func page(_ limit: Int) -> Int { min(max(limit, 1), 500) }
}
