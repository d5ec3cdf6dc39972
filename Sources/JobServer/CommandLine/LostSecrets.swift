import Commands
import DurableJobs
import JobKit
import JobStore

/// The stored secrets that a key does not open.
struct LostSecrets {
    let records: [SettingRecord]
    /// The number of those that it opens.
    let keptCount: Int
    /// The servers that are alive.
    let servers: [ServerRecord]
    private let uses: SecretUses
    private static let namesShown = 10

    /// - Parameter key: the key; nil opens none.
    init(in reader: any JobReader, key: SecretKey?) throws(JobStoreError) {
        let all = try reader.settings(.secret)
        records = all.filter { key?.open($0.body, name: $0.name, version: $0.version) == nil }
        keptCount = all.count - records.count
        servers = try reader.servers(countingJobs: false)
        uses = try SecretUses(of: records.map(\.name), in: reader)
    }

    /// A line for each.
    var lines: String {
        records.map { record in
            var words = ["stored \(record.updatedAt) by \(record.updatedBy)"]
            let places = uses.places[record.name]
            for kind in ["connection", "template", "schedule"] {
                let names = (places?.names ?? []).filter { $0.kind == kind }.map(\.name)
                guard !names.isEmpty else { continue }
                let more = names.count > Self.namesShown ? " and \(names.count - Self.namesShown) more" : ""
                words.append(
                    "\(kind)\(names.count == 1 ? "" : "s") "
                        + names.prefix(Self.namesShown).joined(separator: ", ") + more)
            }
            if let places, places.jobCount > 0 {
                let more = places.jobCount > places.jobs.count ? ", …" : ""
                words.append(
                    "\(Counted.text(places.jobCount, "unfinished job")) "
                        + "(\(places.jobs.map(\.description).joined(separator: ", "))\(more))")
            }
            return "  \(record.name): \(words.joined(separator: "; "))\n"
        }.joined()
    }

    /// The servers that may have a key that opens the secrets; nil when none is alive.
    var warning: String? {
        guard !servers.isEmpty else { return nil }
        return """
            \(Counted.text(servers.count, "server")) use\(servers.count == 1 ? "s" : "") this store: \
            \(servers.map { "\($0.id) on \($0.host)" }.joined(separator: ", ")). Their key file may open these secrets: \
            name it with --secret-key-file. Otherwise stop all of them first. One that was killed counts until its \
            lease has ended.

            """
    }
}
