import COpenSSL

/// The certificate, key and settings of a TLS listener: TLS 1.2 and 1.3, ciphers with forward secrecy, `http/1.1` by
/// ALPN, session tickets.
// Safe because the context is complete before it is shared and OpenSSL counts references to it with locks.
@safe
package final class TLSServerContext: @unchecked Sendable {
    private let context: OpaquePointer

    /// Reads a certificate chain and its key.
    ///
    /// - Parameters:
    ///   - certificateFile: a PEM file, the server's certificate first, then those of its issuers.
    ///   - keyFile: a PEM file with the private key, without a passphrase.
    /// - Throws: `.certificate` when a file cannot be read or the two do not match.
    package init(certificateFile: String, keyFile: String) throws(EventIOError) {
        ERR_clear_error()
        guard let context = unsafe SSL_CTX_new(TLS_server_method()) else {
            throw EventIOError(.system, operation: "set up TLS", detail: opensslErrorText())
        }
        unsafe self.context = unsafe context
        unsafe copenssl_prepare_server(context)
        let operation = "read the certificate \(certificateFile)"
        guard unsafe SSL_CTX_use_certificate_chain_file(context, certificateFile) == 1 else {
            throw EventIOError(.certificate, operation: operation, detail: opensslErrorText())
        }
        guard unsafe SSL_CTX_use_PrivateKey_file(context, keyFile, SSL_FILETYPE_PEM) == 1,
            unsafe SSL_CTX_check_private_key(context) == 1
        else {
            throw EventIOError(.certificate, operation: "read the key \(keyFile)", detail: opensslErrorText())
        }
    }

    deinit {
        unsafe SSL_CTX_free(context)
    }

    /// Creates a session on a connected socket; nil when OpenSSL is out of memory.
    func makeSession(descriptor: CInt) -> TLSSession? {
        guard let session = unsafe SSL_new(context) else { return nil }
        guard unsafe SSL_set_fd(session, descriptor) == 1 else {
            unsafe SSL_free(session)
            return nil
        }
        unsafe SSL_set_accept_state(session)
        return unsafe TLSSession(session)
    }
}

/// The text of the oldest queued OpenSSL error of this thread. Clears the queue.
private func opensslErrorText() -> String {
    let number = ERR_get_error()
    ERR_clear_error()
    guard number != 0, let reason = unsafe ERR_reason_error_string(number) else {
        return "the file cannot be read."
    }
    return unsafe "OpenSSL says `\(String(cString: reason))`."
}
