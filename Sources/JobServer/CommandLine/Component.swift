import CurlHTTP
import EventIO
import SQLiteStore

/// A part of the program that others wrote: linked into it, or loaded from the system.
struct Component: Sendable {
    /// Its place: in the program, or among the libraries of the system.
    enum Linkage: String, Sendable {
        case included, system
        /// Only when a flag asks for it.
        case optional
    }

    var name: String
    /// The version that runs now; nil when the library does not say.
    var version: String?
    /// An SPDX license expression.
    var license: String
    var homepage: String
    var linkage: Linkage
    /// The names of its libraries, without their versions, such as `libssl`.
    var libraries: [String] = []

    /// All of them, sorted by linkage and name.
    static let all: [Component] = [
        Component(
            name: "Swift standard library", license: "Apache-2.0 WITH Swift-exception",
            homepage: "https://github.com/swiftlang/swift", linkage: .included),
        Component(
            name: "Swift Foundation Essentials", license: "Apache-2.0 WITH Swift-exception",
            homepage: "https://github.com/swiftlang/swift-foundation", linkage: .included,
            libraries: ["libFoundationEssentials"]),
        Component(
            name: "Swift libdispatch", license: "Apache-2.0 WITH Swift-exception",
            homepage: "https://github.com/swiftlang/swift-corelibs-libdispatch", linkage: .included,
            libraries: ["libdispatch", "libBlocksRuntime"]),
        Component(
            name: "swift-collections", license: "Apache-2.0 WITH Swift-exception",
            homepage: "https://github.com/apple/swift-collections", linkage: .included),
        Component(
            name: "Brotli", version: LibcurlVersion.parts["brotli"], license: "MIT",
            homepage: "https://github.com/google/brotli", linkage: .system, libraries: ["libbrotlidec"]),
        Component(
            name: "curl", version: LibcurlVersion.text, license: "curl", homepage: "https://curl.se",
            linkage: .system, libraries: ["libcurl"]),
        Component(
            name: "GCC runtime libraries", license: "GPL-3.0-or-later WITH GCC-exception-3.1",
            homepage: "https://gcc.gnu.org", linkage: .system, libraries: ["libgcc_s", "libstdc++"]),
        Component(
            name: "GNU C Library", version: SystemLibraries.libc, license: "LGPL-2.1-or-later",
            homepage: "https://www.gnu.org/software/libc/", linkage: .system,
            libraries: ["libc", "libm", "ld-linux"]),
        Component(
            name: "libevent", version: SystemLibraries.libevent, license: "BSD-3-Clause",
            homepage: "https://libevent.org", linkage: .system,
            libraries: ["libevent", "libevent_pthreads"]),
        Component(
            name: "mimalloc", license: "MIT", homepage: "https://github.com/microsoft/mimalloc",
            linkage: .system, libraries: ["libmimalloc"]),
        Component(
            name: "OpenSSL", version: LibcurlVersion.parts["OpenSSL"], license: "Apache-2.0",
            homepage: "https://openssl-library.org", linkage: .system, libraries: ["libssl", "libcrypto"]),
        Component(
            name: "SQLite", version: DirectoryFacts.sqliteVersion.text, license: "blessing",
            homepage: "https://sqlite.org", linkage: .system, libraries: ["libsqlite3"]),
        Component(
            name: "zlib", version: LibcurlVersion.parts["zlib"], license: "Zlib",
            homepage: "https://zlib.net",
            linkage: .system, libraries: ["libz"]),
        Component(
            name: "Zstandard", version: LibcurlVersion.parts["zstd"], license: "BSD-3-Clause OR GPL-2.0-only",
            homepage: "https://facebook.github.io/zstd/", linkage: .system, libraries: ["libzstd"]),
        Component(
            name: "libpq", license: "PostgreSQL", homepage: "https://www.postgresql.org",
            linkage: .optional, libraries: ["libpq"]),
    ]
}
