import CEvent
import Glibc

/// A Unix socket in a folder, for programs on this machine that may enter the folder.
// Safe because the pointers that it passes on are used during the call only.
package struct LocalSocket: Sendable {
    package let folder: String
    /// The name in the folder.
    package let name: String

    package init(folder: String, name: String) {
        self.folder = folder
        self.name = name
    }

    /// Begins to listen, replacing an earlier listener. Only the owner of the folder can connect.
    /// - Throws: the reason why it cannot listen.
    package func listen() throws(EventIOError) -> CInt {
        let operation = "listen on \(folder)/\(name)"
        let descriptor = try open(operation)
        _ = unsafe unlink("\(folder)/\(name)")
        let isDone =
            try unsafe withAddress(operation) { address, length in
                unsafe bind(descriptor, address, length) == 0
            } && chmod() && Glibc.listen(descriptor, 8) == 0
        guard isDone else {
            let number = errno
            close(descriptor)
            throw .system(number, operation: operation)
        }
        return descriptor
    }

    private func chmod() -> Bool { unsafe Glibc.chmod("\(folder)/\(name)", 0o600) == 0 }

    /// Sends `bytes` and returns everything that comes back until the peer closes.
    /// - Throws: when there is no listener, or nothing comes for `seconds`.
    package func ask(_ bytes: [UInt8], seconds: Int) throws(EventIOError) -> [UInt8] {
        let operation = "reach the server at \(folder)/\(name)"
        let descriptor = try open(operation)
        defer { close(descriptor) }
        let isConnected = try unsafe withAddress(operation) { address, length in
            unsafe connect(descriptor, address, length) == 0
        }
        guard isConnected else { throw .system(errno, operation: operation) }
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        _ = unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        guard DescriptorOutput(descriptor: descriptor).write(bytes) else {
            throw .system(errno, operation: operation)
        }
        return try readAll(descriptor, operation)
    }

    private func readAll(_ descriptor: CInt, _ operation: String) throws(EventIOError) -> [UInt8] {
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = unsafe read(descriptor, &piece, piece.count)
            if count == 0 { return all }
            if count > 0 {
                all += piece[..<count]
            } else if errno != EINTR {
                throw .system(errno, operation: operation)
            }
        }
    }

    private func open(_ operation: String) throws(EventIOError) -> CInt {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .system(errno, operation: operation) }
        return descriptor
    }

    /// The address in the system's form. It refers to the folder by a descriptor, since it is limited to 107 bytes.
    private func withAddress(
        _ operation: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) throws(EventIOError) -> Bool {
        let directory = unsafe Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw .system(errno, operation: operation) }
        defer { close(directory) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array("/proc/self/fd/\(directory)/\(name)".utf8)
        let isFitting = unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
            guard path.count < place.count else { return false }
            unsafe place.copyBytes(from: path)
            return true
        }
        guard isFitting else { throw .system(ENAMETOOLONG, operation: operation) }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
