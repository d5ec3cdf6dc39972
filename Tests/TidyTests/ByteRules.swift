/// Texts of users are bytes: as keys of dictionaries, members of sets and operands of `==` they are `ByteKey`, because
/// a `String` is equal to all other spellings of its characters. The rule looks at the folders where keys of users are
/// kept, and at the names under which they are.
enum ByteRules {
    static let folders = [
        "Sources/JobKit/Operation", "Sources/JobStore/Queues", "Sources/JobStore/Keys",
        "Sources/JobStore/Jobs",
        "Sources/JobStore/Ledger", "Sources/JobRunner", "Sources/SQLiteStore", "Sources/PostgresStore",
        "Tests/MemoryStore",
    ]

    /// Files with collections of other texts, and the reason why `String` is right there.
    static let allowed: [(reason: String, files: [String])] = [
        (
            "names of queues, schedules, templates, settings and grants, which are ASCII",
            [
                "Sources/JobRunner/ScheduleEdits.swift", "Sources/JobRunner/ScheduleRunner.swift",
                "Sources/JobRunner/StoredGrants.swift",
                "Sources/SQLiteStore/Writing/QueueLines.swift",
                "Sources/SQLiteStore/Reading/ReaderSession+Queues.swift",
                "Sources/PostgresStore/Reading/ReaderSession+Queues.swift",
                "Sources/PostgresStore/Tables/QueueTable.swift",
                "Sources/PostgresStore/Writing/LineRound.swift",
                "Sources/PostgresStore/Writing/PostgresBoard.swift",
                "Sources/PostgresStore/Writing/QueueLines.swift", "Tests/MemoryStore/MemoryLedger.swift",
                "Tests/MemoryStore/MemoryLedger+Queues.swift",
            ]
        ),
        (
            "names of servers, statements, settings, and digests",
            [
                "Sources/JobRunner/ServerLink.swift", "Sources/SQLiteStore/Reading/ReaderSession.swift",
                "Sources/SQLiteStore/Tables/ArtifactTable.swift",
                "Sources/PostgresStore/Connection/PostgresConnection.swift",
                "Sources/PostgresStore/Inspection/PostgresReport.swift",
                "Sources/PostgresStore/PostgresJobStore.swift",
                "Sources/PostgresStore/Reading/CommitFollower.swift",
                "Sources/PostgresStore/Tables/LandedTable.swift",
            ]
        ),
        (
            "origins, which are ASCII",
            ["Sources/JobRunner/OriginSharing.swift", "Sources/JobRunner/RunnerSettings.swift"]
        ),
        (
            "paths of operations, whose names are ASCII in a spec, and values by which jobs are counted",
            [
                "Sources/JobKit/Operation/Life/RunNotes.swift", "Sources/JobRunner/ProgressBoard.swift",
                "Sources/JobRunner/RunTrace.swift", "Sources/JobStore/Jobs/JobCount.swift",
                "Tests/MemoryStore/MemoryJobReader.swift",
            ]
        ),
    ]

    private static let collections = ["[String: ", "Set<String>", "[[String]: ", "Set<[String]>"]
    private static let names = ["uniqueKey", "queueKey", "unique.key", "hold.key", "idempotencyKey"]

    static func findings(in file: SourceFile) -> [Finding] {
        guard file.lies(in: folders) else { return [] }
        let mayCollect = allowed.contains { $0.files.contains(file.path) }
        return file.code.enumerated().compactMap { index, line in
            if !mayCollect, let found = collections.first(where: { line.contains($0) }) {
                let message = "\(found) merges spellings of one character: ByteKey, or a reason in ByteRules"
                return Finding(path: file.path, line: index + 1, message: message)
            }
            guard comparesKeys(line) else { return nil }
            return Finding(
                path: file.path, line: index + 1, message: "== takes two spellings for one: hasSameBytes(as:)"
            )
        }
    }

    /// Whether a key of a user is an operand of `==` or `!=`, and the other one is not nil.
    private static func comparesKeys(_ line: String) -> Bool {
        for sign in [" == ", " != "] where line.contains(sign) {
            let sides = line.split(separator: sign, maxSplits: 1)
            guard sides.count == 2, !sides[1].hasPrefix("nil") else { continue }
            if names.contains(where: { sides[0].hasSuffix($0) || sides[1].hasPrefix($0) }) { return true }
        }
        return false
    }
}
