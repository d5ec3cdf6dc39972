/// Names that a package graph has once: SwiftPM refuses a graph in which two packages have targets of the same name. So
/// no target may be called like one of a package that programs use beside this one.
enum NameRules {
    /// Targets of packages that server programs in Swift use.
    static let taken: Set<String> = [
        "AsyncHTTPClient", "Atomics", "Baggage", "CSQLite", "Collections", "ConsoleKit", "CoreMetrics",
        "Crypto",
        "HTTPTypes", "Hummingbird", "InMemoryLogging", "InMemoryTracing", "Instrumentation", "Logging",
        "Metrics",
        "NIO", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "OTel", "Prometheus", "ServiceContextModule",
        "ServiceLifecycle", "SystemPackage", "TOML", "Tracing", "UnixSignals", "Vapor", "Yams",
    ]

    /// The targets of a manifest with such a name.
    static func findings(in manifest: SourceFile) -> [Finding] {
        manifest.lines.enumerated().flatMap { index, line in
            taken.filter {
                line.contains("(\"\($0)\"") || line.contains("(name: \"\($0)\"")
                    || line.contains(" name: \"\($0)\"")
            }
            .map {
                Finding(path: manifest.path, line: index + 1, message: "\($0) is a target of another package")
            }
        }
    }
}
