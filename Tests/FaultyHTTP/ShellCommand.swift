package import Foundation

/// Starts a shell command and returns its process.
package func spawnShell(_ command: String) throws -> pid_t {
    var process: pid_t = 0
    let words: [String] = ["sh", "-c", command]
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
    unsafe arguments.append(nil)
    defer { unsafe arguments.forEach { unsafe free($0) } }
    let status = unsafe posix_spawn(&process, "/bin/sh", nil, nil, &arguments, nil)
    guard status == 0 else { throw POSIXError(.ENOENT) }
    return process
}

/// Runs a shell command to its end.
package func runShell(_ command: String) throws {
    let process = try spawnShell(command)
    waitpid(process, nil, 0)
}
