// swift-tools-version: 6.2
import PackageDescription

#if canImport(Glibc)
    import Glibc
#endif

/// The settings that every Swift target of the house is built with.
let houseSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// Relative relocations are packed (DT_RELR), which glibc understands since 2.36, and no symbols are exported: 2.6 MB
/// less to read and to keep.
let compactLinking: [LinkerSetting] = {
    #if canImport(Glibc)
        // "glibc 2.36"
        var name = [CChar](repeating: 0, count: 64)
        confstr(Int32(_CS_GNU_LIBC_VERSION), &name, name.count)
        let digits = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let version = digits.split { !$0.isNumber }.compactMap { Int($0) }
        if version.lexicographicallyPrecedes([2, 36]) { return [] }
        let linker = ["-z", "pack-relative-relocs", "--no-export-dynamic"]
        let flags = ["-use-ld=lld"] + linker.flatMap { ["-Xlinker", $0] }
        return [.unsafeFlags(flags, .when(configuration: .release))]
    #else
        return []
    #endif
}()

/// The commit and the date that `jobserver version` prints.
let buildFacts: [CSetting] = ["JOBSERVER_COMMIT", "JOBSERVER_DATE"].compactMap { name in
    Context.environment[name].map { .define(name, to: "\"\($0)\"") }
}

/// A Swift module with the house settings.
func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: houseSettings)
}

/// The tests of one subject, with the house settings.
func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: houseSettings)
}

let package = Package(
    name: "jobserver",
    // of JobKit; the server and JobHTTP need Linux
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .executable(name: "jobserver", targets: ["JobServerProgram"]),
        // the server with kinds of operations of one's own
        .library(
            name: "JobServer", targets: ["JobServer", "DurableJobs", "JobSpec", "JobKit", "StrictJSON"]),
        // durable jobs in a program of one's own
        .library(
            name: "DurableJobs", targets: ["DurableJobs", "JobSpec", "JobKit", "StrictJSON", "HTTPMessage"]),
        .library(name: "JobKit", targets: ["JobKit", "StrictJSON", "HTTPMessage"]),
        // JobKit with a transport that makes calls
        .library(name: "JobHTTP", targets: ["JobHTTP", "JobKit", "StrictJSON", "HTTPMessage"]),
    ],
    targets: [
        // ground: one C library each, a module map and a shim header
        .systemLibrary(name: "CEvent", pkgConfig: "libevent", providers: [.apt(["libevent-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CSystemSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // its header only: libpq is loaded on demand
        .systemLibrary(name: "CPostgres", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        // leaves: pure Swift
        .target(name: "StrictJSON", swiftSettings: houseSettings, linkerSettings: [.linkedLibrary("m")]),
        // iconv is a part of the C library, except on Apple's platforms
        .target(
            name: "HTTPMessage", swiftSettings: houseSettings,
            linkerSettings: [
                .linkedLibrary("iconv", .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS]))
            ]),
        room("TraceFormat", ["StrictJSON"]),
        // glass: the C libraries in Swift
        room("EventIO", ["CEvent", "COpenSSL", "HTTPMessage"]),
        room(
            "CurlHTTP", ["CCurl", "COpenSSL", "CZlib", "CBrotli", "CZstd", "EventIO", "HTTPMessage"]),
        room("OpenSSLCrypto", ["COpenSSL", "JobKit"]),
        room("StrictYAML", ["CYAML", "StrictJSON"]),
        // the command line, and the commands that talk to a server
        room("Commands", ["StrictJSON"]),
        room(
            "JobClient",
            [
                "Commands", "CurlHTTP", "EventIO", "HTTPMessage", "JobSpec", "OpenSSLCrypto", "JobKit",
                "StrictJSON", "StrictYAML",
            ]),
        // files that the program carries
        .target(name: "CEmbedded", cSettings: buildFacts),
        // meaning, truth, engine, door
        room("JobKit", ["StrictJSON", "HTTPMessage"]),
        room("JobHTTP", ["JobKit", "CurlHTTP", "EventIO", "HTTPMessage"]),
        room("JobSpec", ["JobKit", "StrictJSON", "HTTPMessage"]),
        room("JobJournal", ["JobSpec", "JobKit", "StrictJSON"]),
        room("JobStore", ["JobJournal", "JobSpec", "JobKit", "StrictJSON"]),
        room("StoreThreads", ["JobStore", "JobKit"]),
        room("ContentFiles", ["StoreThreads", "JobStore", "JobKit", "HTTPMessage"]),
        room(
            "SQLiteStore",
            [
                "ContentFiles", "StoreThreads", "JobStore", "JobJournal", "JobSpec", "JobKit", "StrictJSON",
                "CSystemSQLite",
            ]),
        room(
            "PostgresStore",
            [
                "ContentFiles", "StoreThreads", "JobStore", "JobJournal", "JobSpec", "JobKit", "StrictJSON",
                "CPostgres",
            ]),
        room(
            "JobRunner",
            [
                "JobStore", "JobJournal", "JobSpec", "JobKit", "EventIO", "StrictJSON", "HTTPMessage",
                "TraceFormat",
            ]),
        room(
            "DurableJobs",
            [
                "JobRunner", "SQLiteStore", "ContentFiles", "StoreThreads", "JobStore", "JobSpec", "JobHTTP",
                "JobKit", "EventIO", "CurlHTTP", "OpenSSLCrypto", "StrictJSON", "HTTPMessage",
            ]),
        .target(
            name: "JobServer",
            dependencies: [
                "DurableJobs", "JobRunner", "SQLiteStore", "PostgresStore", "ContentFiles", "StoreThreads",
                "JobStore", "JobJournal", "JobSpec", "JobHTTP", "JobKit", "JobClient", "Commands", "EventIO",
                "CurlHTTP",
                "OpenSSLCrypto", "CZlib", "StrictJSON", "StrictYAML", "HTTPMessage", "TraceFormat",
                "CEmbedded",
            ],
            swiftSettings: houseSettings),
        // In debug builds the sanitizers bring their own allocator.
        .executableTarget(
            name: "JobServerProgram", dependencies: ["JobServer"], swiftSettings: houseSettings,
            linkerSettings: [.linkedLibrary("mimalloc", .when(configuration: .release))] + compactLinking),
        // benchmarks
        .executableTarget(
            name: "StoreRate",
            dependencies: ["SQLiteStore", "PostgresStore", "JobStore", "JobJournal", "JobSpec", "JobKit"],
            path: "Benchmarks/StoreRate", swiftSettings: houseSettings),
        .executableTarget(
            name: "BareListener", dependencies: ["EventIO", "HTTPMessage"], path: "Benchmarks/BareListener",
            swiftSettings: houseSettings),
        .executableTarget(
            name: "OperationRate", dependencies: ["JobKit"],
            path: "Benchmarks/OperationRate",
            swiftSettings: houseSettings),
        .executableTarget(
            name: "EngineRate",
            dependencies: [
                "CurlHTTP", "EventIO", "JobHTTP", "JobJournal", "JobSpec", "JobKit", "JobRunner",
                "JobStore", "SQLiteStore",
            ],
            path: "Benchmarks/EngineRate", swiftSettings: houseSettings),
        .executableTarget(
            name: "CallRate", dependencies: ["CurlHTTP", "EventIO", "HTTPMessage"],
            path: "Benchmarks/CallRate", swiftSettings: houseSettings),
        // a store that lives in memory, for tests and simulation
        .target(
            name: "MemoryStore", dependencies: ["JobStore", "JobJournal", "JobSpec", "JobKit", "StrictJSON"],
            path: "Tests/MemoryStore",
            swiftSettings: houseSettings),
        // what specs mean, read from the documents and without the engine
        .target(
            name: "SpecModel", dependencies: ["StrictJSON"], path: "Tests/SpecModel",
            swiftSettings: houseSettings),
        // the engine in a world of its own, with crashes and faults
        .executableTarget(
            name: "Simulate",
            dependencies: [
                "SpecModel", "JobRunner", "MemoryStore", "JobStore", "JobJournal", "JobSpec", "JobKit",
                "StrictJSON",
                "HTTPMessage",
            ],
            path: "Tests/Simulation", exclude: ["run"], swiftSettings: houseSettings),
        // tests
        .testTarget(
            name: "StrictJSONTests", dependencies: ["StrictJSON"], exclude: ["Corpus"],
            swiftSettings: houseSettings),
        tests("StrictYAMLTests", ["StrictYAML", "StrictJSON"]),
        tests("HTTPMessageTests", ["HTTPMessage"]),
        tests("TraceFormatTests", ["TraceFormat", "StrictJSON"]),
        tests("EventIOTests", ["EventIO", "HTTPMessage"]),
        // an HTTP server that misbehaves on request
        .target(name: "FaultyHTTP", path: "Tests/FaultyHTTP", swiftSettings: houseSettings),
        tests(
            "CurlHTTPTests",
            [
                "CurlHTTP", "EventIO", "HTTPMessage", "JobJournal", "JobSpec", "JobKit", "StrictJSON",
                "FaultyHTTP",
            ]),
        // operations, executors and other means of the tests of the core
        .target(
            name: "TestOperations", dependencies: ["JobKit"], path: "Tests/TestOperations",
            swiftSettings: houseSettings),
        tests("JobKitTests", ["JobKit", "StrictJSON", "HTTPMessage", "TestOperations"]),
        tests("JobHTTPTests", ["JobHTTP", "JobKit", "HTTPMessage", "FaultyHTTP"]),
        tests("JobSpecTests", ["JobSpec", "JobKit", "StrictJSON", "HTTPMessage", "TestOperations"]),
        tests("JobJournalTests", ["JobJournal", "JobKit", "StrictJSON"]),
        .testTarget(
            name: "ScheduleTests",
            dependencies: ["JobStore", "JobSpec", "JobKit", "StrictJSON", "HTTPMessage"],
            exclude: ["Oracle"], swiftSettings: houseSettings),
        // a disk that fails on request, below SQLite
        .target(name: "FaultyDisk", dependencies: ["CSystemSQLite"], path: "Tests/FaultyDisk"),
        // StoreRate is the process that the tests kill.
        tests(
            "JobStoreTests",
            [
                "ContentFiles", "SQLiteStore", "PostgresStore", "ScratchPostgres", "MemoryStore", "JobStore",
                "JobJournal",
                "JobSpec", "JobKit", "StrictJSON", "StoreRate", "FaultyDisk", "StoreThreads",
            ]),
        // a PostgreSQL of the tests' own
        .target(name: "ScratchPostgres", path: "Tests/ScratchPostgres", swiftSettings: houseSettings),
        tests(
            "PostgresStoreTests",
            ["PostgresStore", "ScratchPostgres", "JobStore", "JobJournal", "JobSpec", "JobKit"]),
        tests(
            "JobRunnerTests",
            [
                "JobRunner", "SQLiteStore", "PostgresStore", "ScratchPostgres", "MemoryStore", "ContentFiles",
                "JobStore", "JobJournal", "JobSpec", "JobKit", "EventIO", "StrictJSON", "HTTPMessage",
                "TraceFormat",
                "FaultyDisk",
            ]),
        tests(
            "JobServerTests",
            [
                "JobServer", "JobServerProgram", "DurableJobs", "OpenSSLCrypto", "JobClient", "Commands",
                "JobRunner", "ContentFiles", "JobStore", "JobJournal",
                "JobSpec", "JobKit", "EventIO", "StrictJSON",
                "HTTPMessage", "TraceFormat", "FaultyHTTP", "ScratchPostgres", "MemoryStore",
            ]),
        // the program of Examples/durable, which the tests kill
        .executableTarget(
            name: "DurableExample", dependencies: ["DurableJobs"], path: "Examples/durable/Sources",
            swiftSettings: houseSettings),
        tests(
            "DurableJobsTests",
            ["DurableJobs", "DurableExample", "JobStore", "JobSpec", "JobKit", "StrictJSON", "HTTPMessage"]),
        tests(
            "ContractTests",
            [
                "JobServer", "JobServerProgram", "Commands", "JobJournal", "JobSpec", "JobKit", "StrictJSON",
                "HTTPMessage",
            ]),
        // Simulate is the process that the tests start.
        tests("SimulationTests", ["Simulate"]),
        // Optimized: it reads every line of the project, which takes a minute otherwise.
        .testTarget(name: "TidyTests", swiftSettings: houseSettings + [.unsafeFlags(["-O"])]),
    ]
)
