import Foundation
import Synchronization

/// A server on the loopback interface that does to each connection exactly what a script says, right or wrong. One
/// thread accepts, one serves each connection.
final class FaultServer: Sendable {
    /// The port it listens on.
    let port: Int
    private let listener: CInt
    private let log = Mutex(Log())

    private struct Log {
        var requests: [String] = []
        var connections = 0
        var open: Set<CInt> = []
        var isStopped = false
    }

    /// Starts serving; `script` is called for each connection with its number, beginning with 0.
    init(_ script: @escaping @Sendable (FaultConnection, Int) -> Void) {
        signal(SIGPIPE, SIG_IGN)
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var yes: CInt = 1
        unsafe setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        unsafe Self.withAddress(port: 0) { _ = unsafe bind(listener, $0, $1) }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = unsafe getsockname(listener, $0, &length)
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        listen(listener, 1024)
        self.listener = listener
        let thread = Thread { [self] in acceptAll(script) }
        thread.start()
    }

    /// The heads (and content) of the requests read so far.
    var requests: [String] { log.withLock { $0.requests } }
    /// How many connections are being served.
    var openConnections: Int { log.withLock { $0.open.count } }
    /// How many connections were accepted.
    var connections: Int { log.withLock { $0.connections } }

    /// `http://127.0.0.1:port` and the path.
    func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// A port where nobody listens.
    static func unusedPort() -> Int {
        let server = FaultServer { _, _ in }
        server.stop()
        return server.port
    }

    /// The loopback address with a port, for `bind` and `connect`.
    static func withAddress(port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Void) {
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

    /// Stops accepting and cuts every connection.
    func stop() {
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
            // Programs that other tests start meanwhile must not keep this connection open.
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

/// One connection of a `FaultServer`, in the hands of its script. When the script returns, the connection closes.
final class FaultConnection: Sendable {
    private let descriptor: CInt
    private let note: @Sendable (String) -> Void
    private let pending = Mutex([UInt8]())

    init(_ descriptor: CInt, note: @escaping @Sendable (String) -> Void) {
        self.descriptor = descriptor
        self.note = note
    }

    /// Reads one request with its content and returns it; nil when the other side is gone.
    @discardableResult
    func readRequest() -> String? {
        pending.withLock { pending in
            var total: Int?
            while true {
                if total == nil, let range = pending.firstRange(of: Array("\r\n\r\n".utf8)) {
                    let head = String(decoding: pending[..<range.upperBound], as: UTF8.self)
                    total = range.upperBound + contentLength(head)
                }
                if let total, pending.count >= total {
                    let request = String(decoding: pending[..<total], as: UTF8.self)
                    pending.removeFirst(total)
                    note(request)
                    return request
                }
                guard let more = receive() else { return nil }
                pending += more
            }
        }
    }

    /// Sends text as it is.
    func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends bytes as they are.
    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Foundation.send(descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent, 0)
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Sends a complete answer.
    func answer(_ content: String, status: String = "200 OK", fields: String = "") {
        send("HTTP/1.1 \(status)\r\nContent-Length: \(content.utf8.count)\r\n\(fields)\r\n\(content)")
    }

    /// Answers every request of this connection alike, until the other side leaves.
    func answerAll(_ content: String, status: String = "200 OK", fields: String = "") {
        while readRequest() != nil { answer(content, status: status, fields: fields) }
    }

    /// Waits until the other side closes.
    func waitForClose() {
        while receive() != nil {}
    }

    /// Does nothing for a while.
    func pause(milliseconds: Int) { usleep(UInt32(milliseconds) * 1000) }

    /// Makes the coming close a reset.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }

    private func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    private func contentLength(_ head: String) -> Int {
        for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix("content-length:") {
            return Int(line.dropFirst(15).trimmingCharacters(in: .whitespaces)) ?? 0
        }
        return 0
    }
}
