package import JobSpec
package import JobStore
import StrictJSON

/// The hooks of the server, in memory: a request that is not verified reads nothing.
package final class StoredHooks: Sendable {
    /// The decoded hooks; nil for one that this version of the server cannot read.
    package let settings: SettingScope<HookSpec?>

    /// Reads the hooks in `store`.
    package init(store: any StoreReading) throws(JobStoreError) {
        settings = SettingScope(
            try SettingCache(.hook, in: store) { record in
                let name = Tenant(ofStored: record.name)?.shown(record.name) ?? record.name
                return .some(HookReader.readStored(record.body, name: name))
            })
    }

    private init(_ settings: SettingScope<HookSpec?>) { self.settings = settings }

    /// The hooks of a tenant, by the names that it knows; nil is this.
    package func scoped(to tenant: Tenant?) -> StoredHooks {
        tenant.map { StoredHooks(settings.scoped(to: $0)) } ?? self
    }
}
