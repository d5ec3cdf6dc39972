import Glibc

/// The reason why a loop, a listener or a TLS context could not be set up.
package struct EventIOError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: String, Sendable, Hashable {
        /// Another program listens on the same address and port.
        case addressInUse = "listen.address_in_use"
        /// The address is malformed or does not belong to this machine.
        case addressInvalid = "listen.address_invalid"
        /// The process lacks a permission, for example to listen on a port below 1024.
        case permission = "listen.permission"
        /// A certificate or key is unreadable or does not match.
        case certificate = "tls.certificate"
        /// The system refused for another reason.
        case system = "system"
    }

    package var code: Code
    /// The failed operation, such as `listen on 127.0.0.1:8080`.
    package var operation: String
    /// The reason, for people.
    package var detail: String

    package init(_ code: Code, operation: String, detail: String) {
        self.code = code
        self.operation = operation
        self.detail = detail
    }

    /// `Could not listen on 127.0.0.1:8080: the port is taken by another program.`
    package var description: String { "Could not \(operation): \(detail)" }

    /// The error of a failed system call with this `errno`.
    static func system(_ number: CInt, operation: String) -> EventIOError {
        switch number {
        case EADDRINUSE:
            EventIOError(
                .addressInUse, operation: operation,
                detail: "the port is taken by another program. Stop it or choose another port.")
        case EADDRNOTAVAIL, EAFNOSUPPORT:
            EventIOError(
                .addressInvalid, operation: operation, detail: "the address does not belong to this machine.")
        case EACCES, EPERM:
            EventIOError(
                .permission, operation: operation,
                detail: "permission denied. Ports below 1024 need privileges.")
        case EMFILE, ENFILE:
            EventIOError(.system, operation: operation, detail: "the process is out of file descriptors.")
        default:
            EventIOError(.system, operation: operation, detail: systemErrorText(number))
        }
    }
}

/// The system's text for an `errno`, with its number.
func systemErrorText(_ number: CInt) -> String {
    guard let text = unsafe strerror(number) else { return "error \(number)" }
    return unsafe "\(String(cString: text)) (errno \(number))"
}
