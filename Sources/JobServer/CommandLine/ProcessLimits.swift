import FoundationEssentials

/// The open descriptors of a process and their limit (Linux: `/proc`).
struct ProcessLimits: Sendable, Hashable {
    /// The number of open descriptors.
    var descriptors: Int
    /// The maximum number of open descriptors.
    var descriptorsMax: Int

    /// Reads the limits of a process; nil when `/proc` does not show them.
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
