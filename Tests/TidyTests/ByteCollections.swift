/// Collections in which `String` is the key, or the member.
enum ByteCollections {
    static let allowed: [ByteRules.Allowed] = [
        (
            "names of operations, kinds, queues, keys of settings, tenants, servers, zones and flags, which are ASCII",
            [
                "Sources/Commands/Arguments.swift", "Sources/Commands/ShellCompletion.swift",
                "Sources/DurableJobs/Settings/SettingCache.swift",
                "Sources/JobKit/Conditions/Authorize.swift", "Sources/JobKit/Conditions/AuthorizedFor.swift",
                "Sources/JobKit/Conditions/Capability.swift", "Sources/JobKit/Conditions/HeldGrant.swift",
                "Sources/JobKit/Ports/GrantStanding.swift", "Sources/JobKit/Time/SystemZones.swift",
                "Sources/JobRunner/Schedules/ScheduleEdits.swift",
                "Sources/JobRunner/Schedules/ScheduleRunner.swift",
                "Sources/JobRunner/Links/ServerLink.swift", "Sources/JobRunner/Tenants/StoredGrants.swift",
                "Sources/JobServer/CommandLine/SecretUses.swift",
                "Sources/JobServer/Config/ServeFlags.swift", "Sources/JobServer/Config/ServerConfig.swift",
                "Sources/JobServer/Control/StoreReport.swift", "Sources/JobServer/HTTP/ReaderPool.swift",
                "Sources/JobServer/HTTP/RecentTime.swift",
                "Sources/JobServer/Watching/JobMetrics.swift",
                "Sources/JobSpec/CurlLine/UnknownValues.swift", "Sources/JobSpec/CurlLine/CmdReader.swift",
                "Sources/JobSpec/Jobs/JobSpecReader.swift",
                "Sources/JobSpec/Jobs/MemberAddition.swift",
                "Sources/JobSpec/Jobs/SpecWarning+Submission.swift",
                "Sources/JobSpec/Kinds/Binding+Sources.swift", "Sources/JobSpec/Kinds/Core/JobSpec.swift",
                "Sources/JobSpec/Kinds/Core/OperationDraft.swift",
                "Sources/JobSpec/Kinds/Core/OperationSpec.swift",
                "Sources/JobSpec/Kinds/Groups/BuiltInKinds.swift",
                "Sources/JobSpec/Kinds/Groups/GroupBuilder.swift",
                "Sources/JobSpec/Kinds/OperationKinds+Checking.swift",
                "Sources/JobSpec/Kinds/OperationSpec+Inner.swift",
                "Sources/JobSpec/Kinds/Operations/CallReader.swift",
                "Sources/JobSpec/Reading/OperationKinds.swift", "Sources/JobSpec/Reading/RetryMembers.swift",
                "Sources/JobSpec/Reading/SpecKind.swift",
                "Sources/JobStore/Jobs/JobCount.swift", "Sources/JobStore/Tenants/TenantMeter.swift",
                "Sources/PostgresStore/Inspection/PostgresReport.swift",
                "Sources/PostgresStore/PostgresJobStore.swift",
                "Sources/PostgresStore/Reading/CommitFollower.swift",
                "Sources/PostgresStore/Reading/ReaderSession+Queues.swift",
                "Sources/PostgresStore/Tables/LandedTable.swift",
                "Sources/PostgresStore/Tables/QueueTable.swift",
                "Sources/PostgresStore/Tables/StatsTable.swift",
                "Sources/PostgresStore/Writing/LineRound.swift",
                "Sources/PostgresStore/Writing/PostgresBoard.swift",
                "Sources/PostgresStore/Writing/QueueLines.swift",
                "Sources/SQLiteStore/Reading/ReaderSession+Queues.swift",
                "Sources/SQLiteStore/Writing/QueueLines.swift", "Sources/StoreThreads/WorkTurns.swift",
                "Sources/StoreThreads/WriteLanes.swift",
                "Tests/MemoryStore/MemoryLedger+Queues.swift", "Tests/MemoryStore/MemoryLedger.swift",
            ]
        ),
        (
            "paths of operations, and names of their notes",
            [
                "Sources/JobJournal/Coding/JournalSummary.swift", "Sources/JobKit/Journal/NoteName.swift",
                "Sources/JobJournal/Views/JournalFold+Anew.swift",
                "Sources/JobJournal/Views/JournalFold+Cancelled.swift",
                "Sources/JobJournal/Views/OperationView+Interrupted.swift",
                "Sources/JobJournal/Views/OperationView.swift", "Sources/JobKit/Journal/JournalFold.swift",
                "Sources/JobKit/Journal/OperationHistory.swift",
                "Sources/JobKit/Operation/Life/RunNotes.swift", "Sources/JobRunner/Run/FailedCalls.swift",
                "Sources/JobRunner/Run/ProgressBoard.swift",
                "Sources/JobRunner/Run/RunTrace.swift", "Sources/JobServer/Views/HARBody.swift",
                "Sources/JobServer/Views/JobExplanation.swift", "Sources/JobServer/Views/JobHistory.swift",
                "Sources/JobServer/Views/JobOutline.swift", "Sources/JobSpec/Jobs/CallSite.swift",
                "Sources/JobSpec/Kinds/Core/InnerRun.swift", "Sources/JobSpec/Kinds/Core/LateMembers.swift",
                "Sources/JobSpec/Kinds/Operations/PagesRun.swift",
                "Sources/JobSpec/References/ResultBoard.swift", "Sources/JobSpec/References/SpecPlace.swift",
                "Tests/MemoryStore/MemoryJobReader.swift",
            ]
        ),
        (
            "names of fields, charsets and variables of URLs, which are tokens",
            [
                "Sources/CurlHTTP/AnswerCollector.swift", "Sources/CurlHTTP/CallCheck.swift",
                "Sources/HTTPMessage/Call/HTTPCall.swift", "Sources/HTTPMessage/Call/RetryRequest.swift",
                "Sources/HTTPMessage/Templates/URITemplate.swift",
                "Sources/JobKit/Model/OperationResult+Text.swift", "Sources/JobKit/Origins/OriginCall.swift",
                "Sources/JobKit/Policies/AOperationError+Call.swift",
                "Sources/JobKit/Policies/Upstream+Fields.swift", "Sources/JobSpec/Auth/AWSSignature.swift",
                "Sources/JobSpec/Calls/ConditionalCall.swift",
                "Sources/JobSpec/CurlLine/CurlCommand+Flags.swift",
                "Sources/JobSpec/CurlLine/CurlOperation.swift",
                "Sources/JobSpec/CurlLine/CurlCommand.swift",
                "Sources/JobSpec/Kinds/Conditions/ApprovalSubject.swift",
            ]
        ),
        (
            "hosts and origins, which are ASCII",
            [
                "Sources/DurableJobs/Settings/StoredOrigins.swift",
                "Sources/HTTPMessage/Call/HTTPCallRoute.swift", "Sources/JobKit/Origins/OriginBoard.swift",
                "Sources/JobRunner/Sharing/OriginSharing.swift",
                "Sources/JobRunner/Settings/RunnerSettings.swift",
            ]
        ),
        (
            "digests, error codes, ids, statements and tables, and files of this program",
            [
                "Sources/ContentFiles/ArtifactFiles.swift", "Sources/ContentFiles/ArtifactWorkers.swift",
                "Sources/JobKit/Model/ErrorCode.swift",
                "Sources/JobServer/Control/MadeBackups.swift",
                "Sources/JobServer/Embedded/EmbeddedFile.swift", "Sources/JobServer/Page/PageBundle.swift",
                "Sources/JobServer/Page/PageFiles.swift", "Sources/JobStore/Copy/StoreCopy.swift",
                "Sources/SQLiteStore/Reading/ReaderSession.swift",
                "Sources/SQLiteStore/Tables/ArtifactTable.swift",
            ]
        ),
    ]

    private static let collections = ["[String: ", "Set<String>", "[[String]: ", "Set<[String]>"]

    /// The first of them in a line; the variables of the environment are the operating system's.
    static func found(in code: String) -> String? {
        guard !code.contains("environment: [String: String]") else { return nil }
        return collections.first { code.contains($0) }
    }

    /// Whether a file has one.
    static func has(_ file: SourceFile) -> Bool { file.code.contains { found(in: $0) != nil } }
}
