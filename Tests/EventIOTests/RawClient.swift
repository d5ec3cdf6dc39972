import Glibc

/// A plain client that sends given bytes and returns received bytes. Its calls wait at most five seconds.
final class RawClient {
    private let descriptor: CInt
    private var received: [UInt8] = []
    private var isClosed = false

    /// Connects to a port of this machine.
    init(port: Int, receiveBufferBytes: CInt? = nil) {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        if let receiveBufferBytes { set(SO_RCVBUF, receiveBufferBytes) }
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        isConnected =
            unsafe withUnsafeBytes(of: &address) { raw in
                unsafe connect(descriptor, raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), length)
            } == 0
    }

    /// Whether the connection was accepted.
    private(set) var isConnected = false

    deinit {
        if !isClosed { close(descriptor) }
    }

    /// Sends all of `text`. False when the server has closed.
    @discardableResult
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { raw in
                unsafe Glibc.send(
                    descriptor, raw.baseAddress?.advanced(by: sent), raw.count - sent,
                    CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Shuts down the sending side; answers can still be read.
    func endSending() {
        shutdown(descriptor, CInt(SHUT_WR))
    }

    /// Closes with a reset.
    func vanish() {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
        isClosed = true
    }

    /// Everything until the server closes, as text. Ends with `<reset>` or `<silence>` otherwise.
    func readAll() -> String {
        while true {
            switch receive() {
            case .some(0): return take(received.count)
            case .some: continue
            case .none: return take(received.count) + (errno == EAGAIN ? "<silence>" : "<reset>")
            }
        }
    }

    /// One answer: its head, and the content according to its Content-Length (none when `isHead`). Less when the server
    /// closes earlier.
    func readAnswer(isHead: Bool = false) -> String {
        while true {
            if let end = headEnd {
                let head = String(decoding: received[..<end], as: UTF8.self)
                let total = end + (isHead ? 0 : RawClient.contentLength(in: head))
                if received.count >= total { return take(total) }
            }
            guard let count = receive(), count > 0 else { return take(received.count) }
        }
    }

    /// At least `count` bytes, as text.
    func read(atLeast count: Int) -> String {
        while received.count < count {
            guard let more = receive(), more > 0 else { break }
        }
        return take(received.count)
    }

    private var headEnd: Int? {
        guard received.count >= 4 else { return nil }
        for index in 3..<received.count where received[index] == 0x0A && received[index - 2] == 0x0A {
            return index + 1
        }
        return nil
    }

    private static func contentLength(in head: String) -> Int {
        for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix("content-length:") {
            return Int(line.dropFirst(15).filter(\.isNumber)) ?? 0
        }
        return 0
    }

    private func take(_ count: Int) -> String {
        defer { received.removeFirst(count) }
        return String(decoding: received[..<count], as: UTF8.self)
    }

    /// The number of bytes received; 0 at the end, nil after an error.
    private func receive() -> Int? {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { return nil }
        received.append(contentsOf: buffer[..<count])
        return count
    }

    private func set(_ option: CInt, _ value: CInt) {
        var value = value
        unsafe setsockopt(descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<CInt>.size))
    }
}
