import COpenSSL

/// One TLS connection over a non-blocking socket. The handshake happens within the first reads and writes.
// Safe because it belongs to one connection and is only touched on that connection's loop.
@safe
final class TLSSession: @unchecked Sendable {
    private let session: OpaquePointer
    /// Whether an error occurred, after which OpenSSL must not send a close notification.
    private var isBroken = false

    /// Takes ownership of a session.
    init(_ session: OpaquePointer) {
        unsafe self.session = unsafe session
    }

    deinit {
        unsafe SSL_free(session)
    }

    /// Reads what has arrived into `buffer`.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferResult {
        ERR_clear_error()
        let count = unsafe SSL_read(session, buffer.baseAddress, CInt(clamping: buffer.count))
        return count > 0 ? .bytes(Int(count)) : result(of: count)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> TransferResult {
        ERR_clear_error()
        let count = unsafe SSL_write(session, bytes.baseAddress, CInt(clamping: bytes.count))
        return count > 0 ? .bytes(Int(count)) : result(of: count)
    }

    /// Sends the close notification.
    func sayGoodbye() {
        guard !isBroken else { return }
        ERR_clear_error()
        unsafe SSL_shutdown(session)
    }

    private func result(of status: CInt) -> TransferResult {
        switch unsafe SSL_get_error(session, status) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
            return .wouldBlock
        case SSL_ERROR_ZERO_RETURN:
            return .end
        default:
            isBroken = true
            return .failed
        }
    }
}
