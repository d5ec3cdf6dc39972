/// The ranges of counts that callers may ask for; what lies outside is moved inside.
package enum StoreRange {
    /// Jobs, entries or pieces of upkeep in one call.
    package static func batch(_ limit: Int) -> Int { min(max(limit, 1), 10_000) }

    /// Jobs on a page.
    package static func page(_ limit: Int) -> Int { min(max(limit, 1), 500) }
}
