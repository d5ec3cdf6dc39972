import FoundationEssentials

/// How many descriptors a process has and may have (Linux: `/proc`).
struct ProcessLimits: Sendable, Hashable {
    /// How many it has.
    var descriptors: Int
    /// How many it may have.
    var descriptorsMax: Int

    /// The facts about a process; nil when they cannot be seen.
    init?(_ process: Int) {
        guard let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd"),
            let text = FileManager.default.contents(atPath: "/proc/\(process)/limits")
        else { return nil }
        let line = String(decoding: text, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix("Max open files") }
        let words = line?.dropFirst(14).split(separator: " ") ?? []
        descriptors = open.count
        descriptorsMax = words.first.flatMap { Int($0) } ?? .max
    }
}
