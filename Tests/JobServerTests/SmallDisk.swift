import Foundation

/// A small file system in memory, which only the processes in its mount namespace see.
///
/// A process holds the namespace, so the content outlives a server.
final class SmallDisk {
    /// Whether this user may mount file systems in a namespace of its own.
    static let isPossible: Bool = {
        let words = ["-m", "--propagation", "private", "mount", "-t", "tmpfs", "none", "/mnt"]
        return (try? LiveServer.run(URL(filePath: "/usr/bin/unshare"), words))?.code == 0
    }()

    private let path: String
    private let holder = Process()
    private let input = Pipe()

    /// Mounts it at a directory, which is made.
    init(mebibytes: Int, at directory: URL) throws {
        path = directory.path
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let output = Pipe()
        holder.executableURL = URL(filePath: "/usr/bin/unshare")
        holder.arguments = [
            "-m", "--propagation", "private", "sh", "-c",
            "mount -t tmpfs -o mode=700,size=\(mebibytes)m none \"$0\" && echo mounted && exec cat", path,
        ]
        holder.standardInput = input
        holder.standardOutput = output
        try holder.run()
        guard String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "mounted\n" else {
            throw CocoaError(.fileWriteVolumeReadOnly)
        }
    }

    deinit {
        try? input.fileHandleForWriting.close()
        holder.waitUntilExit()
    }

    /// The command that runs others in the namespace.
    var wrapper: [String] { ["/usr/bin/nsenter", "-m", "-t", "\(holder.processIdentifier)", "--"] }

    /// Runs a program in the namespace.
    func run(_ program: URL, _ words: [String]) throws -> LiveServer.Ended {
        let wrapper = wrapper
        return try LiveServer.run(
            URL(filePath: wrapper[0]), wrapper.dropFirst() + [program.path] + words)
    }

    /// Writes a file until no byte is free.
    func fill(_ name: String) throws {
        _ = try run(URL(filePath: "/bin/sh"), ["-c", "cat /dev/zero >\"$0\"", "\(path)/\(name)"])
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: "\(seen)/\(name)")
    }

    /// The names in a folder; empty when there is none.
    func names(_ folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "\(seen)/\(folder)")) ?? []
    }

    /// The free bytes.
    var free: Int {
        let facts = try? FileManager.default.attributesOfFileSystem(forPath: seen)
        return (facts?[.systemFreeSize] as? NSNumber)?.intValue ?? -1
    }

    /// The mounted directory as this process sees it.
    private var seen: String { "/proc/\(holder.processIdentifier)/root\(path)" }
}
