import JobStore

/// The tables of the store, on one connection.
struct StoreTables {
    private let connection: PostgresConnection
    let jobs: JobTable
    let journals: JournalTable
    let keys: IdempotencyTable
    let lines: LineTable
    let wakes: WakeTable
    let holds: HoldTable
    let keyLines: KeyLineTable
    let callbacks: CallbackTable
    let approvals: ApprovalTable
    let artifacts: ArtifactTable
    let contents: ContentTable
    let grants: GrantTable
    let templates: TemplateTable
    let settings: SettingTable
    let validators: ValidatorTable
    let closings: ClosingTable
    let schedules: ScheduleTable
    let queues: QueueTable
    let bulks: BulkTable
    let uploads: UploadTable
    let deliveries: DeliveryTable
    let standings: StandingTable
    let audits: AuditTable
    let stats: StatsTable
    let dispatch: DispatchTable

    init(_ connection: PostgresConnection) {
        self.connection = connection
        jobs = JobTable(connection)
        journals = JournalTable(connection)
        keys = IdempotencyTable(connection)
        lines = LineTable(connection)
        wakes = WakeTable(connection)
        holds = HoldTable(connection)
        keyLines = KeyLineTable(connection, lines)
        callbacks = CallbackTable(connection)
        approvals = ApprovalTable(connection)
        artifacts = ArtifactTable(connection)
        contents = ContentTable(connection)
        grants = GrantTable(connection)
        templates = TemplateTable(connection)
        settings = SettingTable(connection)
        validators = ValidatorTable(connection)
        closings = ClosingTable(connection)
        schedules = ScheduleTable(connection)
        queues = QueueTable(connection)
        bulks = BulkTable(connection)
        uploads = UploadTable(connection)
        deliveries = DeliveryTable(connection)
        standings = StandingTable(connection)
        audits = AuditTable(connection)
        stats = StatsTable(connection)
        dispatch = DispatchTable(connection)
    }

    /// Locks the tables, schedules and bulk actions that a group changes, later, before its other rows.
    func lockFirst(_ needs: WriteNeeds) throws(PostgresFailure) {
        for whole in needs.wholes.union(needs.parts).sorted(by: { $0.rawValue < $1.rawValue }) {
            // Who has changed a row of a table cannot have it alone any more, so this comes before the rows.
            let mode = needs.wholes.contains(whole) ? "SHARE ROW EXCLUSIVE" : "ROW EXCLUSIVE"
            try connection.later("LOCK TABLE \(connection.address.schema).\(whole.table) IN \(mode) MODE")
        }
        try schedules.lock(needs.schedules)
        try bulks.lock(needs.bulks)
    }

    /// Locks the grants, ends and content that a group changes, later, after its jobs.
    func lockLast(_ needs: WriteNeeds) throws(PostgresFailure) {
        try grants.lock(needs.grants, awaited: needs.awaitedGrants)
        try callbacks.lock(needs.ends)
        try contents.lock(needs.contents)
    }
}

extension WriteNeeds {
    /// Whether there is something for `StoreTables.lockLast`.
    var locksAfterJobs: Bool {
        !grants.isEmpty || !awaitedGrants.isEmpty || !ends.isEmpty || !contents.isEmpty
    }
}

extension WriteNeeds.Whole {
    fileprivate var table: String {
        switch self {
        case .settings: "setting"
        case .templates: "template"
        case .schedules: "schedule"
        case .bulks: "bulk"
        }
    }
}
