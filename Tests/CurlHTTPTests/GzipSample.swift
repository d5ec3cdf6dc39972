import FaultyHTTP
import Foundation

/// Compressed content for tests, made with the system's `gzip`.
enum GzipSample {
    /// This many zero bytes, compressed.
    static func zeros(count: Int) throws -> [UInt8] {
        try shell("head -c \(count) /dev/zero | gzip -9")
    }

    /// The output of a shell command.
    static func shell(_ command: String) throws -> [UInt8] {
        let path = NSTemporaryDirectory() + "curl-gzip-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try runShell("(\(command)) >'\(path)'")
        return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }
}

/// The number of sockets of this process that are connected to a loopback port.
func openDescriptors(to port: Int) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.count { name in
        guard let descriptor = CInt(name) else { return false }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getpeername(descriptor, $0, &length)
            }
        }
        return status == 0 && address.sin_family == sa_family_t(AF_INET)
            && Int(UInt16(bigEndian: address.sin_port)) == port
    }
}
