internal import JobKit

// DESIGN
// The tenant is the first part of stored names: `acme/mail` is the queue that the tenant acme calls mail. Names contain
// no slash, so nothing without a tenant can have such a name, and names of two tenants never meet. Each job is in a
// queue, whose name says to whom the job belongs: there is no second place that could say otherwise, and every engine,
// index and limit treats such names as any other.
//
// Keys and the names of people are texts that may have a slash. Those of a tenant begin with its name and a character
// that no client can write, see `OwnedText`.

/// A team whose jobs and names are its own on a server that others use, too.
package struct Tenant: Sendable, Hashable {
    /// `[a-z][a-z0-9_-]{0,62}`
    package let name: String

    package init(_ name: String) { self.name = name }

    // MARK: Names

    /// The tenant of a stored name; nil when it has none.
    package init?(ofStored name: String) {
        guard let slash = name.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        self.name = String(name[..<slash])
    }

    /// Whether a stored name is that of a tenant.
    package static func isOwner(of name: String) -> Bool { name.utf8.contains(UInt8(ascii: "/")) }

    /// The beginning of the tenant's stored names.
    package var prefix: String { name + "/" }

    /// The name as it is stored.
    package func stored(_ shown: String) -> String { prefix + shown }

    /// Whether a stored name is the tenant's.
    package func owns(_ stored: String) -> Bool { stored.utf8.starts(with: prefix.utf8) }

    /// The name as the tenant knows it; nil when it is another's.
    package func own(_ stored: String) -> String? {
        owns(stored) ? String(Substring(stored.utf8.dropFirst(prefix.utf8.count))) : nil
    }

    /// The name as the tenant knows it; others are left as they are.
    package func shown(_ stored: String) -> String { own(stored) ?? stored }

    /// A sentence in which the tenant's stored names are words, with the names that it knows.
    package func shown(sentence: String) -> String {
        let (bytes, prefix) = (Array(sentence.utf8), Array(prefix.utf8))
        var shown: [UInt8] = []
        var place = 0
        while place < bytes.count {
            let isWord = place == 0 || !Self.continues(bytes[place - 1])
            if isWord, bytes[place...].starts(with: prefix) {
                place += prefix.count
            } else {
                shown.append(bytes[place])
                place += 1
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// Whether a word or a path goes on behind a byte.
    private static func continues(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || byte | 0x20 &- 0x61 < 26 || "_-./%:".utf8.contains(byte)
    }

    // MARK: Texts

    /// The tenant of a stored key or person; nil when it has none.
    package init?(ofText stored: String) {
        guard let owner = OwnedText.owner(of: stored) else { return nil }
        name = owner
    }

    /// The beginning of the tenant's stored keys and people.
    package var textPrefix: String { OwnedText.prefix(of: name) }

    /// A key or a person as it is stored.
    package func storedText(_ text: String) -> String { OwnedText.stored(text, of: name) }

    /// Whether a stored key or person is the tenant's.
    package func ownsText(_ stored: String) -> Bool { stored.utf8.starts(with: textPrefix.utf8) }
}
