import Foundation

/// A port on the loopback interface where connections are never established: its queue is full, and the system drops
/// further attempts.
package final class SilentListener: Sendable {
    /// The port.
    package let port: Int
    private let descriptors: [CInt]

    /// Opens the port and fills its queue.
    package init() {
        var descriptors: [CInt] = []
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let listener = socket(AF_INET, kind, 0)
        descriptors.append(listener)
        unsafe FaultServer.withAddress(port: 0) { _ = unsafe bind(listener, $0, $1) }
        listen(listener, 0)
        let port = FaultServer.port(of: listener)
        for _ in 0..<4 {
            let client = socket(AF_INET, kind | CInt(SOCK_NONBLOCK.rawValue), 0)
            descriptors.append(client)
            unsafe FaultServer.withAddress(port: port) { _ = unsafe connect(client, $0, $1) }
        }
        self.port = port
        self.descriptors = descriptors
    }

    /// Closes the port.
    package func stop() {
        for descriptor in descriptors { close(descriptor) }
    }
}
