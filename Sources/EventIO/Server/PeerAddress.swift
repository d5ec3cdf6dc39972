import CEvent
import Glibc
package import HTTPMessage

/// An address of a TCP connection: the peer's, or the local one.
package struct PeerAddress: Sendable, Hashable, CustomStringConvertible {
    /// The IP address. An IPv4 client of an IPv6 socket appears as IPv4.
    package let address: IPAddress
    /// The TCP port, 0…65535.
    package let port: Int

    package init(address: IPAddress, port: Int) {
        self.address = address
        self.port = port
    }

    /// `192.0.2.1:443` or `[2001:db8::1]:443`.
    package var description: String {
        address.isIPv4 ? "\(address):\(port)" : "[\(address)]:\(port)"
    }

    /// Converts the system's form; nil when it is neither IPv4 nor IPv6.
    init?(_ storage: sockaddr_storage) {
        var storage = storage
        switch CInt(storage.ss_family) {
        case AF_INET:
            self = unsafe withUnsafeBytes(of: &storage) { raw in
                let address = unsafe raw.loadUnaligned(as: sockaddr_in.self)
                return PeerAddress(
                    address: IPAddress(v4: UInt32(bigEndian: address.sin_addr.s_addr)),
                    port: Int(UInt16(bigEndian: address.sin_port)))
            }
        case AF_INET6:
            self = unsafe withUnsafeBytes(of: &storage) { raw in
                // Family 2, port 2, flow 4, then the sixteen bytes of the address.
                let high = unsafe raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
                let low = unsafe raw.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
                let port = unsafe raw.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
                let address = IPAddress(v6High: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
                return PeerAddress(address: address.unmapped, port: Int(UInt16(bigEndian: port)))
            }
        default:
            return nil
        }
    }
}
