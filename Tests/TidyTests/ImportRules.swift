/// Which module may import which: arrows point down only.
enum ImportRules {
    /// The permitted imports by folder. The longest folder that fits a file decides.
    private static let allowed: [String: Set<String>] = [
        "Sources/StrictJSON": [],
        "Sources/HTTPMessage": [],
        "Sources/TraceFormat": ["StrictJSON", "Synchronization"],
        "Sources/EventIO": ["CEvent", "COpenSSL", "HTTPMessage", "Synchronization", "Glibc"],
        "Sources/CurlHTTP": [
            "CCurl", "CZlib", "CBrotli", "CZstd", "EventIO", "HTTPMessage", "Synchronization", "Glibc",
        ],
        "Sources/JobKit": ["StrictJSON", "HTTPMessage", "Synchronization"],
        "Sources/JobHTTP": [
            "JobKit", "CurlHTTP", "EventIO", "HTTPMessage", "Synchronization", "FoundationEssentials",
        ],
        "Sources/JobHTTP/Files": [
            "JobKit", "HTTPMessage", "Synchronization", "FoundationEssentials", "Dispatch", "Glibc",
        ],
        "Sources/JobSpec": ["JobKit", "StrictJSON", "HTTPMessage", "Synchronization"],
        "Sources/JobJournal": ["JobSpec", "JobKit", "StrictJSON", "HTTPMessage"],
        "Sources/JobStore": ["JobJournal", "JobSpec", "JobKit", "StrictJSON", "Synchronization"],
        "Sources/StoreThreads": ["JobStore", "JobKit", "Synchronization", "Glibc"],
        "Sources/ContentFiles": [
            "StoreThreads", "JobStore", "JobKit", "HTTPMessage", "Synchronization", "Glibc",
        ],
        "Sources/SQLiteStore": [
            "CSystemSQLite", "ContentFiles", "StoreThreads", "JobStore", "JobJournal", "JobSpec", "JobKit",
            "StrictJSON",
            "Synchronization", "Glibc",
        ],
        "Sources/PostgresStore": [
            "CPostgres", "ContentFiles", "StoreThreads", "JobStore", "JobJournal", "JobSpec", "JobKit",
            "StrictJSON",
            "Synchronization", "Glibc",
        ],
        "Sources/JobRunner": [
            "JobStore", "JobJournal", "JobSpec", "JobKit", "EventIO", "StrictJSON", "HTTPMessage",
            "TraceFormat",
            "Synchronization", "FoundationEssentials", "Foundation",
        ],
        "Sources/StrictYAML": ["CYAML", "StrictJSON"],
        "Sources/OpenSSLCrypto": ["COpenSSL", "JobKit", "Synchronization", "Glibc"],
        "Sources/DurableJobs": [
            "JobRunner", "SQLiteStore", "ContentFiles", "StoreThreads", "JobStore", "JobSpec", "JobHTTP",
            "JobKit", "EventIO", "CurlHTTP",
            "OpenSSLCrypto", "StrictJSON", "HTTPMessage", "Synchronization", "FoundationEssentials",
        ],
        "Sources/Commands": ["StrictJSON"],
        "Sources/JobClient": [
            "Commands", "CurlHTTP", "EventIO", "JobSpec", "OpenSSLCrypto", "JobKit", "HTTPMessage",
            "StrictJSON", "StrictYAML", "Synchronization",
            "FoundationEssentials",
        ],
        "Sources/JobServer": serverImports,
        "Sources/JobServerProgram": ["JobServer"],
        "Sources/JobServer/Embedded": ["CEmbedded", "CZlib", "Commands"],
        "Examples/custom-kind": ["JobKit", "JobServer", "JobSpec", "StrictJSON"],
        "Examples/durable": ["DurableJobs"],
        "Examples/library": ["JobKit"],
        "Examples/calls": ["JobHTTP"],
        "Examples/adapters": ["JobKit", "HTTPMessage", "Logging", "Metrics", "Tracing"],
        "Examples/frameworks": ["JobHTTP", "JobKit", "Foundation"],
        "Benchmarks/CallRate": ["CurlHTTP", "EventIO", "HTTPMessage"],
        "Benchmarks/EngineRate": [
            "CurlHTTP", "EventIO", "JobHTTP", "JobJournal", "JobKit", "JobRunner", "JobSpec", "JobStore",
            "SQLiteStore", "Synchronization", "Glibc",
        ],
        "Benchmarks/OperationRate": ["JobKit", "Glibc"],
        "Benchmarks/StoreRate": [
            "SQLiteStore", "PostgresStore", "ContentFiles", "JobStore", "JobJournal", "JobSpec", "JobKit",
            "Synchronization",
            "Glibc",
        ],
        "Benchmarks": [
            "EventIO", "HTTPMessage", "Synchronization", "Foundation", "FoundationEssentials", "Glibc",
        ],
    ]

    private static let serverImports: Set<String> = [
        "DurableJobs", "JobRunner", "SQLiteStore", "PostgresStore", "ContentFiles", "StoreThreads",
        "JobStore", "JobJournal", "JobSpec", "JobHTTP", "JobKit", "JobClient", "Commands", "EventIO",
        "CurlHTTP", "OpenSSLCrypto",
        "StrictJSON", "StrictYAML", "HTTPMessage", "TraceFormat", "Synchronization",
        "FoundationEssentials", "Foundation", "Glibc", "Dispatch",
    ]

    /// Modules that one file may import although its folder may not.
    private static let exceptions: [String: Set<String>] = [
        "SystemClock.swift": ["FoundationEssentials", "Foundation"],
        "SystemZones.swift": ["FoundationEssentials", "Foundation"],
        "AOperationError+Thrown.swift": ["FoundationEssentials", "Foundation"],
        "JSONValue+Codable.swift": ["FoundationEssentials"], "Charset.swift": ["Glibc", "Musl", "Darwin"],
        "PeerTLS.swift": ["COpenSSL"],
    ]

    /// Modules that tests never import: a test reaches a C library through its wrapper.
    private static let ground: Set<String> = [
        "CEvent", "CCurl", "CSystemSQLite", "CPostgres", "COpenSSL", "CZlib", "CBrotli", "CZstd", "CYAML",
        "CEmbedded",
    ]

    static func findings(in file: SourceFile) -> [Finding] {
        file.code.enumerated().compactMap { index, line in
            guard let module = importedModule(line), !mayImport(module, file) else { return nil }
            return Finding(path: file.path, line: index + 1, message: "\(module) must not be imported here")
        }
    }

    private static func mayImport(_ module: String, _ file: SourceFile) -> Bool {
        if file.parts.last == "Package.swift" { return !file.lies(in: ["Sources", "Tests"]) }
        if file.lies(in: ["Tests"]) { return !ground.contains(module) }
        if let name = file.parts.last, exceptions[name]?.contains(module) == true { return true }
        let folder = allowed.keys.filter { file.lies(in: [$0]) }.max { $0.count < $1.count }
        guard let folder, let modules = allowed[folder] else { return false }
        return modules.contains(module)
    }

    /// The module that a line imports, without submodule; nil for other lines.
    static func importedModule(_ line: String) -> String? {
        var words = line.split(whereSeparator: { $0 == " " || $0 == ";" })
        while let first = words.first, first.hasPrefix("@") || accessWords.contains(first) {
            words.removeFirst()
        }
        guard words.first == "import", words.count > 1 else { return nil }
        let kinds: Set<Substring> = [
            "struct", "class", "enum", "func", "var", "let", "protocol", "typealias",
        ]
        let name = kinds.contains(words[1]) && words.count > 2 ? words[2] : words[1]
        return name.split(separator: ".").first.map(String.init)
    }

    private static let accessWords: Set<Substring> = [
        "public", "package", "internal", "fileprivate", "private",
    ]
}
