import Foundation

/// A script of bash that runs in a temporary directory of its own, as a user without privileges, until this process
/// ends: then its standard input ends.
final class LeashedScript: Sendable {
    let directory: String
    private let process: Process
    /// As long as its other end is open the script runs.
    private let leash: Pipe

    /// - Parameter script: the text, for the directory, in which it begins. It removes the directory.
    init(_ name: String, _ script: (String) -> String) throws {
        directory = NSTemporaryDirectory() + "\(name)-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        // With job control a program in the background does not ignore SIGINT until it has its own handler.
        let text = "set -em\ncd \(directory)\n" + script(directory)
        process = Process()
        leash = Pipe()
        // The programs refuse to run as root.
        if geteuid() == 0 {
            try FileManager.default.setAttributes([.ownerAccountName: "nobody"], ofItemAtPath: directory)
            process.executableURL = URL(filePath: "/usr/bin/setpriv")
            process.arguments = ["--reuid=65534", "--regid=65534", "--clear-groups", "/bin/bash", "-c", text]
        } else {
            process.executableURL = URL(filePath: "/bin/bash")
            process.arguments = ["-c", text]
        }
        process.standardInput = leash
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Writes a line to its standard input.
    func tell(_ line: String) throws {
        try leash.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Waits until `condition` holds.
    /// - Throws: when the script has ended, or after a minute.
    func wait(until condition: () throws -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: 60)
        while try !condition() {
            guard Date() < deadline, process.isRunning else { throw CocoaError(.executableLoad) }
            usleep(50_000)
        }
    }
}
