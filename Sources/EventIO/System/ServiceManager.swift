import CEvent
import Glibc

/// The service manager that started this process, such as systemd (sd_notify(3)); nil without one.
// Safe because the pointers that it passes on are used during the call only.
package struct ServiceManager: Sendable {
    /// The path of its socket; `@` begins a name in the abstract namespace.
    private let path: String
    /// The time within which it wants a sign of life; nil when it wants none.
    package let watchdog: Duration?

    /// Reads `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
    package init?(_ environment: [String: String]) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") else {
            return nil
        }
        self.path = path
        let isMeant = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
        watchdog = isMeant ? environment["WATCHDOG_USEC"].flatMap { Int($0) }.map { .microseconds($0) } : nil
    }

    package enum Message: String, Sendable {
        case ready = "READY=1"
        case stopping = "STOPPING=1"
        case alive = "WATCHDOG=1"
    }

    /// Sends a message; nothing happens when nothing listens.
    package func tell(_ message: Message, status: String? = nil) {
        let text = message.rawValue + (status.map { "\nSTATUS=\($0)" } ?? "")
        let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        if name.first == 0x40 { name[0] = 0 }
        let isFitting = unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
            guard name.count < place.count else { return false }
            unsafe place.copyBytes(from: name)
            return true
        }
        guard isFitting else { return }
        // The length ends an abstract name, which may have zeros in it.
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count + (name.first == 0 ? 0 : 1))
        let bytes = Array(text.utf8)
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = unsafe sendto(
                    descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL), address, length)
            }
        }
    }
}
