package import HTTPMessage
package import JobKit
package import JobSpec
package import JobStore
package import StrictJSON

/// The connections of the server. A change is stored before it takes effect.
package final class StoredConnections: ConnectionBook {
    /// The address ranges that connections may open.
    package let openable: [CIDR]
    /// The decoded connections; nil for one that this version of the server cannot read.
    private let cache: SettingScope<ConnectionSpec?>

    /// Reads the connections in `store`. Address ranges beyond `openable` are ignored.
    package init(store: any SettingStore & StoreReading, openable: [CIDR]) throws(JobStoreError) {
        self.openable = openable
        cache = SettingScope(
            try SettingCache(.connection, in: store) { .some(Self.spec($0.body, openable)) })
    }

    private init(_ other: StoredConnections, of tenant: Tenant) {
        openable = other.openable
        cache = other.cache.scoped(to: tenant)
    }

    /// The connections of a tenant, by the names that it knows; nil is this.
    package func scoped(to tenant: Tenant?) -> StoredConnections {
        tenant.map { StoredConnections(self, of: $0) } ?? self
    }

    package func connection(named name: String) -> ConnectionSpec? { cache[name]?.value }

    /// All connections, by name.
    package var all: [SettingRecord] { cache.all.map(\.record) }

    package func record(_ name: String) -> SettingRecord? { cache[name]?.record }

    /// Stores a valid connection; the reply comes when it is durable and in effect.
    package func put(
        _ value: JSONValue, name: String, by caller: String, at now: Timestamp,
        in store: any SettingStore,
        reply: @escaping @Sendable (Result<SettingRecord, JobStoreError>) -> Void
    ) {
        cache.put(value, name: name, by: caller, at: now, in: store, reply: reply)
    }

    /// Removes a connection; the reply comes when that is durable.
    package func remove(
        _ name: String, in store: any SettingStore,
        reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        cache.remove(name, in: store, reply: reply)
    }

    private static func spec(_ body: [UInt8], _ openable: [CIDR]) -> ConnectionSpec? {
        guard let value = try? JSONParser.parse(body) else { return nil }
        return try? ConnectionReader.read(value, egress: nil, openable: openable).get()
    }
}
