import JobKit
import JobStore
import OpenSSLCrypto

extension TokenEntry {
    /// The records of the changes from one state of the token file to another.
    static func changes(from before: [TokenEntry], to after: [TokenEntry], at now: Timestamp) -> [AuditRecord]
    {
        let old = Dictionary(before.map { ($0.name, $0) }) { $1 }
        let new = Dictionary(after.map { ($0.name, $0) }) { $1 }
        return Set(old.keys).union(new.keys).sorted().compactMap { name in
            let (old, new) = (old[name], new[name])
            if old == new { return nil }
            var record = AuditRecord(
                at: now, by: "the token file", kind: "tokens",
                action: old == nil ? "add" : new == nil ? "remove" : "change", target: name)
            record.before = old?.fingerprint
            record.after = new?.fingerprint
            return record
        }
    }

    /// A digest of the name, the digest of the token, its scopes and its options.
    private var fingerprint: String { "sha256:" + HexText.encode(SHA256.digest(of: Array(line.utf8))) }
}
