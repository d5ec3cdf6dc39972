import Foundation

/// A shell of this machine, and an empty directory in which it runs.
struct RealShell {
    /// The shells that are here: always `sh`.
    static let names = ["sh", "bash", "dash", "zsh"].filter { path(of: $0) != nil }

    /// The file that hostile texts try to make.
    static let canary = "canary"

    let name: String
    private let directory: URL

    init(_ name: String) throws {
        self.name = name
        directory = FileManager.default.temporaryDirectory.appending(path: "shell-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        // What a program gets is written by a program that is called curl.
        let program = directory.appending(path: "curl")
        try Data("#!/bin/sh\nprintf '%s\\0' \"$@\" ''\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    }

    func remove() { try? FileManager.default.removeItem(at: directory) }

    /// Whether a command from a text was run.
    var hasRunMore: Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return names.contains { $0.hasPrefix(Self.canary) }
    }

    /// The arguments that `curl` got from a script, each followed by an empty one at the end of its command.
    /// - Parameter isInteractive: whether the shell reads the script as if it was pasted.
    func arguments(
        _ script: some Sequence<UInt8>, environment: [String: String] = [:], isInteractive: Bool = false
    ) throws -> [[UInt8]] {
        let file = directory.appending(path: "script")
        let output = directory.appending(path: "output")
        try Data(script).write(to: file)
        try Data().write(to: output)
        let process = Process()
        process.executableURL = Self.path(of: name)
        var options = name == "zsh" ? ["-f"] : name == "bash" ? ["--norc"] : []
        if isInteractive {
            options += name == "bash" ? ["-i", "-H"] : ["-i"]
        } else {
            options.append(file.path)
        }
        process.arguments = options
        process.currentDirectoryURL = directory
        process.environment = environment.merging(
            ["PATH": "\(directory.path):/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": directory.path]
        ) { own, _ in own }
        process.standardInput = isInteractive ? try FileHandle(forReadingFrom: file) : FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return try Data(contentsOf: output).split(separator: 0, omittingEmptySubsequences: false).dropLast()
            .map { Array($0) }
    }

    private static func path(of name: String) -> URL? {
        ["/bin", "/usr/bin"].map { URL(filePath: "\($0)/\(name)") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}

/// Texts that try to break out of quotes, to pose as a variable or to run a command.
struct HostileTexts {
    private static let pieces: [[UInt8]] =
        [
            "'", "'\u{301}", "\"\u{200D}", "'\u{FE0F}", "`touch canary1`", "$(touch canary2)", "\u{E000}",
            "\u{E001}", "%EE%80%80", "%EE%80%81", "'; touch canary3; '", "\"; touch canary4; \"", "\n",
            "\n\n",
            "\r", "\t", "\u{1}", "\u{1B}[201~", "\u{7F}", "\u{85}", "\u{9B}2J", "\u{202E}", "é", "e\u{301}",
            "👩‍👩‍👧", "\\", "\\'", "!", "!!", "!'", "$HOME", "${HOME}", "-", "--", "#", "~", "*", "?", " ", "%s",
            "%",
            "=", "y-0000000-y", "z-0000000-z", "{", "}", "|touch canary5", "&touch canary6&", "<", ">", "(",
            ")",
            ";touch canary7;", "$'\\x41'", "\\u0041", "\ntouch canary8\n", "a", "0", "\u{2066}", "@",
        ].map { Array($0.utf8) }

    private static let otherBytes: [[UInt8]] = [
        [0xFF], [0xC3], [0xE2, 0x80], [0xED, 0xA0, 0x80], [0xC0, 0xA7],
    ]

    private var state: UInt64 = 11

    private mutating func next(below limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }

    /// Some pieces one after the other.
    mutating func text() -> String { String(decoding: bytes(from: Self.pieces), as: UTF8.self) }

    /// The same, and bytes that are not UTF-8.
    mutating func bytes() -> [UInt8] { bytes(from: Self.pieces + Self.otherBytes) }

    private mutating func bytes(from pieces: [[UInt8]]) -> [UInt8] {
        (0...next(below: 6)).flatMap { _ in pieces[next(below: pieces.count)] }
    }
}
