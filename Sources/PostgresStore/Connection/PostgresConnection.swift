import CPostgres
import Glibc

// DESIGN
// A connection belongs to one thread, which may wait: the thread sends, and waits at the socket until the answer is
// there or the time for it is over. Not on an event loop: nothing would be gained, since a group of writes is one
// conversation, and the loops of the server must not know the store. libpq itself would wait for ever for a machine
// that has vanished, so nothing of it that waits is used once the connection is open. Statements go through libpq's
// pipeline: those whose answers nothing depends on are sent together with the next one, and cost no round trip.

/// One connection to PostgreSQL.
// Safe because the pointer never leaves this folder, the class is used by one thread at a time, and the pointer is
// freed once, in `deinit`.
@safe final class PostgresConnection {
    let address: PostgresAddress
    private let pq: LibPQ
    private let handle: OpaquePointer
    /// The names of the statements that are prepared.
    private var names: [StatementText: String] = [:]
    /// The number of prepared statements at which all are forgotten: the texts of lists differ with their filters, and
    /// PostgreSQL keeps a plan for each.
    private static let namesMax = 500
    private var preparedCount = 0
    /// The statements that were sent and not answered.
    private var waiting: [Waiting] = []
    /// Whether an answer did not come in time. What is received after that belongs to earlier statements.
    private(set) var isLate = false
    /// Statements with more bytes of values than this do not wait to be sent with others.
    private static let sentAtOnceMin = 1_024
    /// The room for the values of a statement: few need more.
    private static let usualBytes = 512
    /// Whether PostgreSQL warned of something.
    private let warning = Warning()
    /// The statement with which each transaction begins, where settings of the connection do not last.
    private(set) var prologue: String?

    private struct Waiting {
        /// The statement that is only prepared.
        var prepared: StatementText?
        /// The failure of a check that does not hold; nil for a statement that checks nothing.
        var failure: PostgresFailure?
        var then: (PostgresRows) -> Void
    }

    /// Opens a connection.
    /// - Throws: a failure that says what libpq says, without the password.
    init(_ address: PostgresAddress) throws(PostgresFailure) {
        self.address = address
        let pq = try LibPQ.loaded.get()
        self.pq = pq
        let settings = [
            // Settings in the address override those before it.
            ("connect_timeout", String(max(2, address.connectTimeout.components.seconds))),
            // A machine that has vanished, or cannot be reached any more, is noticed within some 2 s: by what it does
            // not acknowledge, or by probes while it only owes an answer.
            ("tcp_user_timeout", "2000"),
            ("keepalives_idle", "2"), ("keepalives_interval", "1"), ("keepalives_count", "2"),
            ("fallback_application_name", "jobserver"), ("dbname", address.connection),
            ("client_encoding", "UTF8"),
        ]
        address.contact?.ask(at: .now)
        guard let opened = unsafe Self.connect(settings, pq) else { throw .lost("there is no memory") }
        guard unsafe pq.status(opened) == CONNECTION_OK else {
            let message = unsafe Self.text(pq.errorMessage(opened))
            unsafe pq.finish(opened)
            throw .lost(Self.oneLine(message))
        }
        address.contact?.rest()
        unsafe handle = opened
        _ = unsafe pq.setNonblocking(opened, 1)
        _ = unsafe pq.enterPipelineMode(opened)
        _ = unsafe pq.setNoticeReceiver(
            opened, { unsafe Warning.take($1, for: $0) }, Unmanaged.passUnretained(warning).toOpaque())
    }

    /// A mark that a warning came.
    private final class Warning {
        var isThere = false

        /// - Parameter place: points to the mark, which lives as long as its connection.
        static func take(_ notice: OpaquePointer?, for place: UnsafeMutableRawPointer?) {
            guard let place = unsafe place, let pq = try? LibPQ.loaded.get(),
                let severity = unsafe pq.resultErrorField(notice, cpostgres_severity),
                unsafe String(cString: severity) == "WARNING"
            else { return }
            unsafe Unmanaged<Warning>.fromOpaque(place).takeUnretainedValue().isThere = true
        }
    }

    deinit { unsafe pq.finish(handle) }

    private static func connect(_ settings: [(String, String)], _ pq: LibPQ) -> OpaquePointer? {
        // libpq wants two lists of C strings, each ended by NULL.
        let texts = settings.flatMap { [$0.0, $0.1] }
        let bytes = texts.flatMap { Array($0.utf8CString) }
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            var lists: (keywords: [UnsafePointer<CChar>?], values: [UnsafePointer<CChar>?]) = unsafe ([], [])
            var place = 0
            for (number, text) in texts.enumerated() {
                let start = unsafe bytes.baseAddress.map { unsafe $0 + place }
                if number % 2 == 0 {
                    unsafe lists.keywords.append(start)
                } else {
                    unsafe lists.values.append(start)
                }
                place += text.utf8.count + 1
            }
            unsafe lists.keywords.append(nil)
            unsafe lists.values.append(nil)
            return unsafe pq.connect(lists.keywords, lists.values, 1)
        }
    }

    // MARK: Statements

    /// Runs a statement with its parameters `$1`, `$2`, …, after those that wait.
    @discardableResult
    func run(_ sql: String, _ values: [PostgresValue] = []) throws(PostgresFailure) -> PostgresRows {
        var rows: PostgresRows?
        try later(sql, values) { rows = $0 }
        try finish()
        guard let rows else { throw lost() }
        return rows
    }

    /// Runs statements in one round trip, after those that wait.
    /// - Returns: their answers, in their order.
    func run(_ statements: [(sql: String, values: [PostgresValue])]) throws(PostgresFailure) -> [PostgresRows]
    {
        var answers: [PostgresRows] = []
        for statement in statements { try later(statement.sql, statement.values) { answers.append($0) } }
        try finish()
        guard answers.count == statements.count else { throw lost() }
        return answers
    }

    /// Sends a statement whose answer can wait until that of the next `run`. After a failure those that follow it are
    /// not run, and `run` throws it.
    /// - Parameters:
    ///   - isPrepared: whether it is prepared although it has no parameters: those with some always are.
    ///   - failure: makes the statement a check: thrown unless the first value of its answer is true. Statements sent
    ///     after it are run nevertheless, but no COMMIT is.
    ///   - then: takes the answer. It comes too late to stop a COMMIT that was sent meanwhile.
    func later(
        _ sql: String, _ values: [PostgresValue] = [], isPrepared: Bool = false,
        or failure: PostgresFailure? = nil,
        then: @escaping (PostgresRows) -> Void = { _ in }
    ) throws(PostgresFailure) {
        let types = values.map(\.type)
        try send(sql, values.isEmpty && !isPrepared ? nil : name(of: sql, types), types, values)
        waiting.append(Waiting(failure: failure, then: then))
    }

    /// The name of a statement, which is prepared first if it was not; nil where none lasts.
    private func name(of sql: String, _ types: [UInt32]) throws(PostgresFailure) -> String? {
        guard address.preparesStatements else { return nil }
        let text = StatementText(sql)
        if let known = names[text] { return known }
        if names.count >= Self.namesMax { try forgetStatements() }
        let name = "s\(preparedCount)"
        preparedCount += 1
        guard unsafe pq.sendPrepare(handle, name, sql, CInt(types.count), types) == 1 else { throw lost() }
        waiting.append(Waiting(prepared: text, then: { _ in }))
        names[text] = name
        return name
    }

    private func forgetStatements() throws(PostgresFailure) {
        names = [:]
        try later("DEALLOCATE ALL")
    }

    /// Has the checks among the statements that wait answered, and with them all others. A round trip, if there is one.
    /// - Throws: the failure of the first that does not hold.
    func awaitChecks() throws(PostgresFailure) {
        if waiting.contains(where: { $0.failure != nil }) { try finish() }
    }

    /// Makes the open transaction durable, unless a check does not hold.
    /// - Throws: a failure that is in doubt when the connection was lost, or when PostgreSQL has stopped waiting for a
    ///   standby, which it only warns of.
    func commit() throws(PostgresFailure) {
        try awaitChecks()
        warning.isThere = false
        do throws(PostgresFailure) {
            try later("COMMIT", isPrepared: true)
            try finish()
        } catch {
            var failure = error
            failure.isInDoubt = error.isConnectionLost
            throw failure
        }
        if warning.isThere { throw .unconfirmed }
    }

    /// Has statements planned once, for look-ups by lists of keys: with the statistics of a young table PostgreSQL
    /// would choose to read all of it, and keep to that. Locks are waited for only so long that the others of a group
    /// do not wait for one for ever, and the database ends a transaction whose server has stopped in the middle of it:
    /// others wait for its locks. Behind a pooler, which hands each transaction to another connection, the settings are
    /// those of each transaction.
    /// - Parameters:
    ///   - limit: after this time PostgreSQL ends a statement; nil for the limit of the database.
    ///   - wait: the longest wait for a lock, in milliseconds.
    func favourIndexes(
        endingStatementsAfter limit: Duration? = nil, waitingForLocks wait: Int = 3_000
    ) throws(PostgresFailure) {
        var settings = [
            ("plan_cache_mode", "force_generic_plan"), ("enable_seqscan", "off"),
            ("enable_bitmapscan", "off"),
            ("enable_hashjoin", "off"),
            ("enable_mergejoin", "off"), ("jit", "off"), ("lock_timeout", "\(wait)ms"),
            ("idle_in_transaction_session_timeout", "2s"),
        ]
        if let limit { settings.append(("statement_timeout", "\(limit.components.seconds)s")) }
        // Long values are compressed with LZ4, where PostgreSQL was built with it: its own method takes longer than the
        // rest of the insertion.
        let method = "default_toast_compression"
        let known = "SELECT 1 FROM pg_settings WHERE name = '\(method)' AND 'lz4' = ANY(enumvals)"
        if try run(known).count > 0 { settings.append((method, "lz4")) }
        let calls = settings.map { "set_config('\($0.0)', '\($0.1)', \(!address.preparesStatements))" }
        let statement = "SELECT \(calls.joined(separator: ", "))"
        if address.preparesStatements { try run(statement) } else { prologue = statement }
    }

    /// Runs several statements that take no parameters, one after the other.
    func execute(_ script: String) throws(PostgresFailure) {
        try finish()
        guard unsafe pq.exitPipelineMode(handle) == 1, unsafe pq.sendQuery(handle, script) == 1 else {
            throw lost()
        }
        defer { _ = unsafe pq.enterPipelineMode(handle) }
        _ = try answer(until: ContinuousClock.now + address.statementTimeout).get()
    }

    private func send(
        _ sql: String, _ name: String?, _ types: [UInt32], _ values: [PostgresValue]
    ) throws(PostgresFailure) {
        var content: [UInt8] = []
        content.reserveCapacity(Self.usualBytes)
        var places: [Range<Int>?] = []
        places.reserveCapacity(values.count)
        for value in values {
            let start = content.count
            places.append(value.append(to: &content) ? start..<content.count : nil)
        }
        // An empty value needs a place, too.
        content.append(0)
        let lengths = places.map { CInt($0?.count ?? 0) }
        let formats = [CInt](repeating: 1, count: values.count)
        let sent = unsafe content.withUnsafeBytes { bytes in
            let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers = unsafe places.map { place in
                unsafe place.flatMap { place in unsafe start.map { unsafe $0 + place.lowerBound } }
            }
            let count = CInt(values.count)
            return if let name {
                unsafe pq.sendQueryPrepared(handle, name, count, pointers, lengths, formats, 1)
            } else {
                unsafe pq.sendQueryParams(handle, sql, count, types, pointers, lengths, formats, 1)
            }
        }
        guard sent == 1 else { throw lost() }
        // PostgreSQL runs a large statement while this thread makes the next one.
        if content.count > Self.sentAtOnceMin, unsafe pq.flush(handle) < 0 { throw lost() }
    }

    // MARK: Answers

    /// Has the statements that wait answered.
    /// - Throws: the failure of the first that failed.
    private func finish() throws(PostgresFailure) {
        if waiting.isEmpty { return }
        let sent = waiting
        waiting = []
        guard unsafe pq.pipelineSync(handle) == 1 else { throw lost() }
        let now = ContinuousClock.now
        address.contact?.ask(at: now)
        let deadline = now + address.statementTimeout
        var first: PostgresFailure?
        for statement in sent {
            do throws(PostgresFailure) {
                let rows = try answer(until: deadline).get()
                if first == nil {
                    statement.then(rows)
                    if let failure = statement.failure, rows.integer(0, 0) == 0 { first = failure }
                }
            } catch {
                if isBroken || error.state.isEmpty { throw error }
                if let text = statement.prepared { names[text] = nil }
                first = first ?? error
            }
        }
        // The end of the pipeline has an answer of its own.
        try waitForAnswer(until: deadline)
        guard let end = unsafe pq.getResult(handle) else { throw lost() }
        unsafe pq.clear(end)
        address.contact?.rest()
        if let first { throw first }
    }

    /// The answer to the first statement that is not answered.
    /// - Throws: the connection is lost.
    private func answer(
        until deadline: ContinuousClock.Instant
    ) throws(PostgresFailure) -> Result<PostgresRows, PostgresFailure> {
        var answer: Result<PostgresRows, PostgresFailure>?
        while true {
            try waitForAnswer(until: deadline)
            guard let result = unsafe pq.getResult(handle) else { break }
            switch unsafe pq.resultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
                answer = .success(unsafe PostgresRows(result, pq))
            case PGRES_PIPELINE_ABORTED:
                answer = .failure(.passedOver)
                unsafe pq.clear(result)
            default:
                let failure = unsafe refusal(in: result)
                unsafe pq.clear(result)
                // Without a state the connection broke in the middle.
                if failure.state.isEmpty { throw lost() }
                answer = .failure(failure)
            }
        }
        guard let answer else { throw lost() }
        return answer
    }

    /// The time between two looks at the contact that a connection heeds.
    private static let heedMilliseconds: Int64 = 100

    /// Sends what is left to be sent and reads until a whole result is there.
    private func waitForAnswer(until deadline: ContinuousClock.Instant) throws(PostgresFailure) {
        while true {
            let unsent = unsafe pq.flush(handle)
            guard unsent >= 0 else { throw lost() }
            if unsent == 0, unsafe pq.isBusy(handle) == 0 { return }
            let events = CInt(POLLIN) | (unsent == 1 ? CInt(POLLOUT) : 0)
            var socket = unsafe pollfd(fd: pq.socket(handle), events: Int16(events), revents: 0)
            guard socket.fd >= 0 else { throw lost() }
            let now = ContinuousClock.now
            let left = now.duration(to: deadline)
            guard left > .zero else {
                isLate = true
                throw .lost("no answer within \(address.statementTimeout.components.seconds) s")
            }
            if let heeds = address.heeds, heeds.isSilent(at: now) {
                isLate = true
                throw .silent(for: heeds.patience)
            }
            let longest: Int64 = address.heeds == nil ? 60_000 : Self.heedMilliseconds
            let milliseconds = min(longest, left.components.seconds * 1_000 + 1)
            let found = unsafe poll(&socket, 1, CInt(milliseconds))
            if found < 0 && errno != EINTR { throw lost() }
            if found > 0, unsafe pq.consumeInput(handle) == 0 { throw lost() }
        }
    }

    /// Whether it is of no use any more.
    var isBroken: Bool { unsafe isLate || pq.status(handle) != CONNECTION_OK }

    /// Whether a transaction is open, failed or not.
    var isInTransaction: Bool { unsafe pq.transactionStatus(handle) != PQTRANS_IDLE }

    private func lost() -> PostgresFailure {
        .lost(Self.oneLine(unsafe Self.text(pq.errorMessage(handle))))
    }

    private func refusal(in result: OpaquePointer) -> PostgresFailure {
        func field(_ code: CInt) -> String? {
            unsafe pq.resultErrorField(result, code).map { unsafe String(cString: $0) }
        }
        return PostgresFailure(
            state: field(cpostgres_sqlstate) ?? "",
            message: Self.oneLine(field(cpostgres_message) ?? "no reason given"),
            constraint: field(cpostgres_constraint))
    }

    private static func text(_ start: UnsafePointer<CChar>?) -> String {
        unsafe start.map { unsafe String(cString: $0) } ?? ""
    }

    private static func oneLine(_ text: String) -> String {
        let lines = text.split(whereSeparator: \.isNewline)
        return lines.isEmpty ? "the connection is closed" : lines.joined(separator: " ")
    }
}
