package import JobKit
package import JobStore
package import StrictJSON

/// The settings of one kind that a tenant has, by the names that it knows; or all of them.
package struct SettingScope<Value: Sendable>: Sendable {
    package typealias Entry = SettingCache<Value>.Entry

    private let cache: SettingCache<Value>
    private let tenant: Tenant?

    /// - Parameter tenant: whose settings; nil are those without a tenant by their names, and all in lists.
    package init(_ cache: SettingCache<Value>, of tenant: Tenant? = nil) {
        self.cache = cache
        self.tenant = tenant
    }

    package func scoped(to tenant: Tenant?) -> SettingScope { SettingScope(cache, of: tenant) }

    /// The name in the store.
    package func stored(_ name: String) -> String { tenant?.stored(name) ?? name }

    package subscript(name: String) -> Entry? { cache[stored(name)].map(shown) }

    /// All settings, by name.
    package var all: [Entry] {
        guard let tenant else { return cache.all }
        return cache.all.filter { tenant.owns($0.record.name) }.map(shown)
    }

    /// Whether a value is such, of any tenant.
    package func has(_ isSuch: (Value) -> Bool) -> Bool { cache.has(isSuch) }

    /// Stores a setting in a store of the same tenant; the reply comes when it is durable and in effect.
    package func put(
        _ draft: SettingDraft, in store: any SettingStore,
        reply: @escaping @Sendable (Result<SettingRecord, JobStoreError>) -> Void
    ) {
        store.put(draft, reply: reply)
    }

    /// Stores a setting as canonical JSON in a store of the same tenant.
    /// - Parameter version: the version that it replaces, 0 for none; nil replaces any.
    package func put(
        _ value: JSONValue, name: String, ifVersion version: Int64? = nil, by caller: String,
        at now: Timestamp, in store: any SettingStore,
        reply: @escaping @Sendable (Result<SettingRecord, JobStoreError>) -> Void
    ) {
        let body = CanonicalJSON.encode(value)
        var draft = SettingDraft(kind: cache.kind, name: name, updatedAt: now, updatedBy: caller) { _ in body
        }
        draft.ifVersion = version
        store.put(draft, reply: reply)
    }

    /// Removes a setting from a store of the same tenant; the reply comes when that is durable.
    package func remove(
        _ name: String, in store: any SettingStore,
        reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        store.removeSetting(cache.kind, name, reply: reply)
    }

    private func shown(_ entry: Entry) -> Entry {
        guard let tenant else { return entry }
        return Entry(record: tenant.shown(entry.record), value: entry.value)
    }
}
