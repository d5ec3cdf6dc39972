import CEvent
import Glibc

/// A connected socket, plain or with TLS. Its owner closes it.
// Safe because the pointers that it passes on are used during the call only.
@safe
struct ConnectionSocket {
    let descriptor: CInt
    /// The TLS session; nil for a plain connection.
    let tls: TLSSession?

    /// Reads into `buffer`, which is not empty.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferResult {
        if let tls { return unsafe tls.read(into: buffer) }
        while true {
            let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            guard let result = ConnectionSocket.result(of: errno) else { continue }
            return result
        }
    }

    /// Writes some of `bytes` from `start`, which is before their end.
    ///
    /// - Parameter hasMore: whether more follows at once, so that the system may wait to fill a packet.
    func write(_ bytes: [UInt8], from start: Int, hasMore: Bool) -> TransferResult {
        unsafe bytes.withUnsafeBytes { all in
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: all[start...])
            if let tls { return unsafe tls.write(bytes) }
            let flags = MSG_DONTWAIT | MSG_NOSIGNAL | (hasMore ? MSG_MORE : 0)
            while true {
                let count = unsafe send(descriptor, bytes.baseAddress, bytes.count, CInt(flags))
                if count > 0 { return .bytes(count) }
                guard let result = ConnectionSocket.result(of: errno) else { continue }
                return result
            }
        }
    }

    /// Whether the peer of a local socket has closed it, and not only shut down its sending side. With TCP the system
    /// learns that from a reset alone.
    var isHungUp: Bool {
        var facts = pollfd(fd: descriptor, events: 0, revents: 0)
        return unsafe poll(&facts, 1, 0) > 0 && CInt(facts.revents) & CInt(POLLHUP) != 0
    }

    /// The number of written bytes that the client's system has not acknowledged; 0 when unknown.
    var untakenBytes: Int { Int(cevent_unacknowledged_bytes(descriptor)) }

    /// Shuts down the sending side; reading continues.
    func endWriting() {
        tls?.sayGoodbye()
        shutdown(descriptor, CInt(SHUT_WR))
    }

    /// The result for an error number; nil when the call has to be repeated.
    private static func result(of number: CInt) -> TransferResult? {
        switch number {
        case EINTR: nil
        case EAGAIN: .wouldBlock
        default: .failed
        }
    }
}
