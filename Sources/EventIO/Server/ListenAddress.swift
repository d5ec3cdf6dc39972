import CEvent
import Glibc

/// The address of a listener.
package enum ListenAddress: Sendable, Hashable {
    /// An address of this machine (`127.0.0.1`, `::1`, `0.0.0.0`, `localhost`) and a port; port 0 lets the system
    /// choose one.
    case tcp(host: String, port: Int)
    /// A socket that is already listening, such as one from a service manager. The listener closes it.
    case descriptor(CInt)

    /// Checks that no other process listens there, not even one that shares the port: listeners that share a port would
    /// not notice each other.
    /// - Throws: `.addressInUse` when one does, or the error that a listener would get.
    package func checkIsFree() throws(EventIOError) {
        guard case .tcp = self else { return }
        close(try open(sharesPort: false, backlog: 1))
    }

    /// Opens a non-blocking listening socket.
    ///
    /// - Parameters:
    ///   - sharesPort: whether several sockets may listen on the port (`SO_REUSEPORT`); the system then spreads
    ///     connections over them.
    ///   - backlog: the maximum number of connections that wait to be accepted.
    func open(sharesPort: Bool, backlog: Int) throws(EventIOError) -> CInt {
        switch self {
        case .descriptor(let descriptor):
            guard evutil_make_socket_nonblocking(descriptor) == 0 else {
                throw .system(errno, operation: "use descriptor \(descriptor) as a listener")
            }
            return descriptor
        case .tcp(let host, let port):
            return try ListenAddress.listen(
                host: host, port: port, sharesPort: sharesPort, backlog: CInt(clamping: backlog))
        }
    }

    private static func listen(
        host: String, port: Int, sharesPort: Bool, backlog: CInt
    ) throws(EventIOError) -> CInt {
        let operation = "listen on \(host.contains(":") ? "[\(host)]" : host):\(port)"
        guard (0...65535).contains(port) else {
            throw EventIOError(
                .addressInvalid, operation: operation, detail: "a port is a number from 0 to 65535.")
        }
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, String(port), &hints, &found)
        guard status == 0, let first = unsafe found else {
            throw EventIOError(
                .addressInvalid, operation: operation, detail: "`\(host)` is not an address of this machine.")
        }
        defer { unsafe freeaddrinfo(found) }
        let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = unsafe socket(first.pointee.ai_family, type, 0)
        guard descriptor >= 0 else { throw .system(errno, operation: operation) }
        var isDone = setOption(descriptor, SOL_SOCKET, SO_REUSEADDR)
        if sharesPort { isDone = isDone && setOption(descriptor, SOL_SOCKET, SO_REUSEPORT) }
        isDone =
            unsafe isDone && bind(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0
            && Glibc.listen(descriptor, backlog) == 0
        guard isDone else {
            let number = errno
            close(descriptor)
            throw .system(number, operation: operation)
        }
        return descriptor
    }
}

/// Enables a socket option. Returns false when the system refuses.
@discardableResult
func setOption(_ descriptor: CInt, _ level: CInt, _ option: CInt) -> Bool {
    var one: CInt = 1
    return unsafe setsockopt(descriptor, level, option, &one, socklen_t(MemoryLayout<CInt>.size)) == 0
}

/// The port that a socket is bound to; 0 when it has none.
func boundPort(_ descriptor: CInt) -> Int {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let status = unsafe withUnsafeMutableBytes(of: &storage) { raw in
        unsafe getsockname(descriptor, raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
    }
    return status == 0 ? PeerAddress(storage)?.port ?? 0 : 0
}
