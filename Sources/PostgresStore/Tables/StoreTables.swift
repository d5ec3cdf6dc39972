/// The tables of the store, on one connection.
struct StoreTables {
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
    let audits: AuditTable
    let dispatch: DispatchTable

    init(_ connection: PostgresConnection) {
        jobs = JobTable(connection)
        journals = JournalTable(connection)
        keys = IdempotencyTable(connection)
        lines = LineTable(connection)
        wakes = WakeTable(connection)
        holds = HoldTable(connection)
        keyLines = KeyLineTable(connection)
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
        audits = AuditTable(connection)
        dispatch = DispatchTable(connection)
    }
}
