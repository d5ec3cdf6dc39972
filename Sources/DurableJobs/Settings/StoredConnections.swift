package import HTTPMessage
package import JobSpec
package import JobStore
import StrictJSON

/// The connections of the server. A change is stored before it takes effect.
package final class StoredConnections: ConnectionBook {
    /// The address ranges that connections may open.
    package let openable: [CIDR]
    /// The decoded connections; nil for one that this version of the server cannot read.
    package let settings: SettingScope<ConnectionSpec?>

    /// Reads the connections in `store`. Address ranges beyond `openable` are ignored.
    package init(
        _ store: any StoreReading, _ reader: any JobReader, openable: [CIDR]
    ) throws(JobStoreError) {
        self.openable = openable
        settings = SettingScope(
            try SettingCache(.connection, in: store, reader) { .some(Self.spec($0.body, openable)) })
    }

    private init(_ other: StoredConnections, of tenant: Tenant) {
        openable = other.openable
        settings = other.settings.scoped(to: tenant)
    }

    /// The connections of a tenant, by the names that it knows; nil is this.
    package func scoped(to tenant: Tenant?) -> StoredConnections {
        tenant.map { StoredConnections(self, of: $0) } ?? self
    }

    package func connection(named name: String) -> ConnectionSpec? { settings[name]?.value }

    private static func spec(_ body: [UInt8], _ openable: [CIDR]) -> ConnectionSpec? {
        guard let value = try? JSONParser.parse(body) else { return nil }
        return try? ConnectionReader.read(value, egress: nil, openable: openable).get()
    }
}
