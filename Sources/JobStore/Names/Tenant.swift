// DESIGN
// The tenant is the first part of stored names: `acme/mail` is the queue that the tenant acme calls mail. Names contain
// no slash, so nothing without a tenant can have such a name, and names of two tenants never meet. Each job is in a
// queue, whose name says to whom the job belongs: there is no second place that could say otherwise, and every engine,
// index and limit treats such names as any other.

/// A team whose jobs and names are its own on a server that others use, too.
package struct Tenant: Sendable, Hashable {
    /// `[a-z][a-z0-9_-]{0,62}`
    package let name: String

    package init(_ name: String) { self.name = name }

    /// The tenant of a stored name; nil when it has none.
    package init?(ofStored name: String) {
        guard let slash = name.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        self.name = String(name[..<slash])
    }

    /// The beginning of the tenant's stored names.
    package var prefix: String { name + "/" }

    /// The name as it is stored.
    package func stored(_ shown: String) -> String { prefix + shown }

    /// Whether a stored name is the tenant's.
    package func owns(_ stored: String) -> Bool { stored.utf8.starts(with: prefix.utf8) }

    /// The name as the tenant knows it; nil when it is another's.
    package func own(_ stored: String) -> String? {
        owns(stored) ? String(stored.dropFirst(prefix.count)) : nil
    }

    /// The name as the tenant knows it; others are left as they are.
    package func shown(_ stored: String) -> String { own(stored) ?? stored }

    /// A text of the store without the tenant's prefix.
    package func shown(text: String) -> String {
        guard text.utf8.count >= prefix.utf8.count else { return text }
        return text.split(separator: prefix, omittingEmptySubsequences: false).joined()
    }
}
