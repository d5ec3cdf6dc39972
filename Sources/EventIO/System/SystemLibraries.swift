import CEvent
import Glibc

/// The versions of libraries of the system with which the program runs.
package enum SystemLibraries {
    /// The version of libevent, such as `2.1.12-stable`.
    package static var libevent: String? { unsafe event_get_version().map { unsafe String(cString: $0) } }

    /// The version of the C library, such as `2.36`.
    package static var libc: String? {
        // "glibc 2.36"
        var name = [CChar](repeating: 0, count: 64)
        // Safe because the call writes at most `count` bytes.
        unsafe confstr(Int32(_CS_GNU_LIBC_VERSION), &name, name.count)
        let text = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text.split(separator: " ").last.map(String.init)
    }
}
