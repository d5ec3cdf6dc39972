import FoundationEssentials

/// Facts about this process from the system (Linux: `/proc`).
struct ProcessFacts: Sendable {
    /// The resident memory in bytes; 0 when unknown.
    var residentBytes = 0
    /// The number of open descriptors; 0 when unknown.
    var descriptors = 0

    static func read() -> ProcessFacts {
        var facts = ProcessFacts()
        facts.descriptors =
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0
        guard let status = FileManager.default.contents(atPath: "/proc/self/status") else { return facts }
        for line in String(decoding: status, as: UTF8.self).split(separator: "\n")
        where line.hasPrefix("VmRSS:") {
            let kilobytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap
            { Int($0) }
            facts.residentBytes = (kilobytes ?? 0) * 1_024
        }
        return facts
    }
}
