package import Foundation
import Synchronization

/// A server on the loopback interface that handles each connection exactly as a script says, right or wrong. One thread
/// accepts, one serves each connection.
package final class FaultServer: Sendable {
    /// The port it listens on.
    package let port: Int
    private let listener: CInt
    private let log = Mutex(Log())

    private struct Log {
        var requests: [String] = []
        var connections = 0
        var open: Set<CInt> = []
        var isStopped = false
    }

    /// Starts serving; `script` is called for each connection with its number, beginning with 0.
    package init(_ script: @escaping @Sendable (FaultConnection, Int) -> Void) {
        signal(SIGPIPE, SIG_IGN)
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var yes: CInt = 1
        unsafe setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        unsafe Self.withAddress(port: 0) { _ = unsafe bind(listener, $0, $1) }
        port = Self.port(of: listener)
        listen(listener, 1024)
        self.listener = listener
        let thread = Thread { [self] in acceptAll(script) }
        thread.start()
    }

    /// The heads (and content) of the requests read so far.
    package var requests: [String] { log.withLock { $0.requests } }
    /// The number of open connections.
    package var openConnections: Int { log.withLock { $0.open.count } }
    /// The number of accepted connections.
    package var connections: Int { log.withLock { $0.connections } }

    /// `http://127.0.0.1:port` and the path.
    package func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// A port without a listener, below those that the system gives to connections, so that none takes it meanwhile.
    package static func unusedPort() -> Int {
        while true {
            let port = Int.random(in: 10_000..<30_000)
            let socket = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer { close(socket) }
            var isFree = false
            unsafe withAddress(port: port) { isFree = unsafe bind(socket, $0, $1) == 0 }
            if isFree { return port }
        }
    }

    /// A port that refuses connections for the life of this process: it is bound without a listener.
    package static func refusingPort() -> Int {
        let socket = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        unsafe Self.withAddress(port: 0) { _ = unsafe bind(socket, $0, $1) }
        return Self.port(of: socket)
    }

    /// The loopback address with a port, for `bind` and `connect`.
    package static func withAddress(port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Void) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// The port that a socket is bound to.
    static func port(of descriptor: CInt) -> Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = unsafe getsockname(descriptor, $0, &length)
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Stops accepting and closes every connection.
    package func stop() {
        log.withLock { log in
            guard !log.isStopped else { return }
            log.isStopped = true
            for descriptor in log.open { shutdown(descriptor, CInt(SHUT_RDWR)) }
            shutdown(listener, CInt(SHUT_RDWR))
        }
    }

    private func acceptAll(_ script: @escaping @Sendable (FaultConnection, Int) -> Void) {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { break }
            // Child processes of other tests must not keep this connection open.
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let number = log.withLock { log -> Int? in
                guard !log.isStopped else { return nil }
                log.open.insert(descriptor)
                log.connections += 1
                return log.connections - 1
            }
            guard let number else {
                close(descriptor)
                break
            }
            let connection = FaultConnection(descriptor) { [self] in note($0) }
            let thread = Thread { [self] in
                script(connection, number)
                log.withLock { log in
                    log.open.remove(descriptor)
                    close(descriptor)
                }
            }
            thread.stackSize = 256 << 10
            thread.start()
        }
        close(listener)
    }

    private func note(_ request: String) {
        log.withLock { $0.requests.append(request) }
    }
}
