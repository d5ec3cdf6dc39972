import CCurl
import Glibc
import HTTPMessage

/// Reads C socket addresses.
enum SocketAddress {
    /// The address and port; nil for a family other than IPv4 and IPv6. An IPv4-mapped IPv6 address is returned as the
    /// IPv4 address that it reaches.
    static func read(_ address: UnsafePointer<curl_sockaddr>) -> (address: IPAddress, port: Int)? {
        let length = unsafe Int(address.pointee.addrlen)
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
        let raw = unsafe UnsafeRawPointer(address) + offset
        switch unsafe address.pointee.family {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            let value = unsafe raw.loadUnaligned(as: sockaddr_in.self)
            return (
                IPAddress(v4: UInt32(bigEndian: value.sin_addr.s_addr)),
                Int(UInt16(bigEndian: value.sin_port))
            )
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            let value = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
            let halves = unsafe withUnsafeBytes(of: value.sin6_addr) { bytes in
                unsafe (
                    bytes.loadUnaligned(as: UInt64.self),
                    bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
                )
            }
            let address = IPAddress(v6High: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1))
            return (address.unmapped, Int(UInt16(bigEndian: value.sin6_port)))
        default:
            return nil
        }
    }
}
