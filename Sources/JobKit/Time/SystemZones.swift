internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The time zones that this machine knows: the files under `/usr/share/zoneinfo`. Each is read once.
package enum SystemZones {
    private static let folder = "/usr/share/zoneinfo/"
    private static let known = Mutex<[String: ZoneRules]>(["UTC": .utc])

    /// The rules of a zone such as `Europe/Berlin`; nil when there is none of this name.
    package static func rules(named name: String) -> ZoneRules? {
        if let rules = known.withLock({ $0[name] }) { return rules }
        guard isName(name), let data = FileManager.default.contents(atPath: folder + name),
            let rules = ZoneFile.rules(Array(data))
        else { return nil }
        known.withLock { $0[name] = rules }
        return rules
    }

    /// The names of zones, for suggestions.
    package static let names = listedNames()

    private static func listedNames() -> [String] {
        guard let data = FileManager.default.contents(atPath: folder + "zone1970.tab") else { return ["UTC"] }
        let lines = data.split(separator: UInt8(ascii: "\n"))
        let names = lines.compactMap { line -> String? in
            let columns = line.split(separator: UInt8(ascii: "\t"))
            guard line.first != UInt8(ascii: "#"), columns.count >= 3 else { return nil }
            return String(decoding: columns[2], as: UTF8.self)
        }
        return names + ["UTC"]
    }

    /// Words of letters, digits, `_`, `+` and `-` with slashes between: nothing that leads out of the folder.
    private static func isName(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return name.utf8.count <= 64
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy {
                        ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || "_+-".utf8.contains($0)
                    }
            }
    }
}
