/// Texts of users are bytes. A `String` is equal to all other spellings of its characters, and its `split`, `hasPrefix`
/// and `firstIndex` see characters: a comma with a combining mark behind it is no comma. So there are three rules, each
/// with the files for which `String` is right, and the reason:
///
/// * keys of dictionaries and members of sets are `ByteKey`;
/// * the texts named in `names` are no operands of `==`, but of `hasSameBytes(as:)`;
/// * where texts come in or are kept, they are cut at bytes of their `utf8` view.
enum ByteRules {
    /// The code to which the rules apply.
    static let places = ["Sources", "Tests/MemoryStore"]

    /// Files whose `String` has a reason.
    typealias Allowed = (reason: String, files: [String])

    static func findings(in file: SourceFile) -> [Finding] {
        guard file.lies(in: places) else { return [] }
        let mayCollect = ByteCollections.allowed.contains { file.lies(in: $0.files) }
        let mayCut = !file.lies(in: ByteCuts.folders) || ByteCuts.allowed.contains { file.lies(in: $0.files) }
        return file.code.enumerated().compactMap { index, code in
            let message =
                if !mayCollect, let found = ByteCollections.found(in: code) {
                    "\(found) merges spellings of one character: ByteKey, or a reason in ByteCollections"
                } else if comparesTexts(code) {
                    "== takes two spellings for one: hasSameBytes(as:)"
                } else if !mayCut, let found = ByteCuts.found(in: file.lines[index], code) {
                    "\(found) misses what a combining mark follows: utf8, or a reason in ByteCuts"
                } else {
                    ""
                }
            return message.isEmpty ? nil : Finding(path: file.path, line: index + 1, message: message)
        }
    }

    private static let names = [
        "uniqueKey", "queueKey", "unique.key", "hold.key", "idempotencyKey", "label", "label.key",
        "label.value", "prompt", "password", "secret",
    ]

    /// Whether a text of a user is an operand of `==` or `!=`, and the other one is neither nil nor a case.
    private static func comparesTexts(_ code: String) -> Bool {
        for sign in [" == ", " != "] where code.contains(sign) {
            let sides = code.split(separator: sign, maxSplits: 1)
            guard sides.count == 2, !sides[1].hasPrefix("nil"), !sides[1].hasPrefix(".") else { continue }
            let right = sides[1].prefix { $0.isLetter || $0.isNumber || $0 == "." }
            let left = sides[0].reversed().prefix { $0.isLetter || $0.isNumber || $0 == "." || $0 == "$" }
            let written = [String(right), String(left.reversed())]
            if written.contains(where: { text in names.contains { text == $0 || text.hasSuffix(".\($0)") } })
            {
                return true
            }
        }
        return false
    }
}

/// Texts that are cut at characters.
enum ByteCuts {
    /// The folders in which texts of users come in, or are kept.
    static let folders = [
        "Sources/Commands", "Sources/ContentFiles", "Sources/DurableJobs", "Sources/JobClient",
        "Sources/JobJournal", "Sources/JobKit", "Sources/JobRunner", "Sources/JobServer/Access",
        "Sources/JobServer/Endpoints", "Sources/JobServer/HTTP", "Sources/JobServer/Views",
        "Sources/JobSpec/Auth", "Sources/JobSpec/Calls", "Sources/JobSpec/Jobs", "Sources/JobSpec/Kinds",
        "Sources/JobSpec/References", "Sources/JobSpec/Values", "Sources/JobStore", "Sources/PostgresStore",
        "Sources/SQLiteStore", "Tests/MemoryStore",
    ]

    static let allowed: [ByteRules.Allowed] = [
        (
            "names, paths of operations, URLs, addresses, codes and numbers, which are ASCII",
            [
                "Sources/JobClient/Connection/ServerConnection.swift",
                "Sources/JobClient/CurlRun/CurlOutcome.swift", "Sources/JobClient/CurlRun/CurlReport.swift",
                "Sources/JobClient/CurlRun/CurlRun.swift", "Sources/JobKit/Origins/OriginClosing.swift",
                "Sources/JobKit/Policies/RetryMatcher.swift", "Sources/JobRunner/Sharing/MemberLoans.swift",
                "Sources/JobRunner/Run/RunTrace.swift", "Sources/JobServer/Endpoints/ExplainQuestion.swift",
                "Sources/JobServer/Endpoints/ListAttempts.swift",
                "Sources/JobServer/Endpoints/ListOperations.swift",
                "Sources/JobServer/HTTP/RequestContext+Audit.swift", "Sources/JobServer/Views/HARBody.swift",
                "Sources/JobSpec/Auth/AWSSignature.swift", "Sources/JobSpec/Calls/Expectation+Check.swift",
                "Sources/JobSpec/Jobs/EffectiveSetting.swift", "Sources/JobSpec/Kinds/Core/SpecWarning.swift",
                "Sources/JobSpec/References/SpecPlace.swift",
                "Sources/PostgresStore/Connection/PostgresAddress.swift",
                "Sources/PostgresStore/Connection/PostgresFailure.swift",
                "Sources/SQLiteStore/Directory/IntegrityCheck.swift",
                "Sources/SQLiteStore/Tables/ApprovalTable.swift",
                "Sources/SQLiteStore/Tables/ArtifactTable.swift",
                "Sources/JobStore/Grants/GrantRecord.swift", "Sources/SQLiteStore/Tables/HoldTable.swift",
                "Sources/SQLiteStore/Tables/ValidatorTable.swift",
            ]
        ),
        (
            "words of a fixed list: anything else is refused, or counts for nothing",
            [
                "Sources/JobClient/Actions/RunAction.swift",
                "Sources/JobKit/Model/OperationResult+Text.swift",
                "Sources/JobServer/Access/TokenEntry.swift", "Sources/JobServer/Endpoints/CountJobs.swift",
                "Sources/JobServer/Endpoints/ListApprovals.swift",
                "Sources/JobServer/Endpoints/ListFilter.swift", "Sources/JobSpec/Jobs/LimitReader.swift",
            ]
        ),
        (
            "texts of this program, and line feeds, with which no mark combines",
            [
                "Sources/Commands/Arguments.swift", "Sources/Commands/HelpText.swift",
                "Sources/Commands/ManualPage.swift", "Sources/Commands/ShellCompletion.swift",
                "Sources/JobKit/Secrets/EscapeReader.swift",
                "Sources/PostgresStore/Tables/CommitNews.swift",
            ]
        ),
        (
            "a list of keys for people, in which a key may have a blank anyway",
            ["Sources/JobServer/Views/JobExplanation.swift"]
        ),
    ]

    private static let cuts = [
        "split(separator: ", "Index(of: ", "firstRange(of: ", "replacing(", "hasPrefix(", "hasSuffix(",
        "trimmingPrefix(",
    ]

    /// The cut in a line that is given a literal, or looks at the begin or the end of a text.
    static func found(in line: String, _ code: String) -> String? {
        cuts.first { cut in
            guard code.contains(cut) else { return false }
            return cut.hasPrefix("has") || cut.hasPrefix("trimming") || line.contains(cut + "\"")
        }
    }
}
