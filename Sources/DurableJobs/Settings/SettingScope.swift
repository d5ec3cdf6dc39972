package import JobStore

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

    /// Whether any value of any tenant satisfies `predicate`.
    package func has(_ predicate: (Value) -> Bool) -> Bool { cache.has(predicate) }

    private func shown(_ entry: Entry) -> Entry {
        guard let tenant else { return entry }
        return Entry(record: tenant.shown(entry.record), value: entry.value)
    }
}
