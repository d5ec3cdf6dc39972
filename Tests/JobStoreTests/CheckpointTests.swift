import FaultyDisk
import Foundation
import JobStore
import Testing

@testable import SQLiteStore

/// A database of one table, a row on each page, that is checkpointed as the store does it.
private struct PagedFile {
    let path: String
    let rows: Int
    let writer: SQLiteConnection

    /// Makes it in `directory`, on the disk that fails on request, with the value 0 in all rows and an empty log.
    init(in directory: String, rows: Int) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        #expect(faulty_register() == 0)
        unsafe faulty_fail(directory, FAULTY_WRITE, FAULTY_MAIN, FAULTY_NOT)
        path = directory + "/pages.db"
        self.rows = rows
        writer = try SQLiteConnection(
            path: path, mode: .readWrite, fileAccess: SQLiteConnection.gatheringWrites("faulty"))
        try writer.execute(
            """
            PRAGMA page_size = 2048;
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA wal_autocheckpoint = 0;
            CREATE TABLE page (number INTEGER PRIMARY KEY, value INTEGER, filler BLOB);
            WITH RECURSIVE all_rows (number) AS
                (SELECT 1 UNION ALL SELECT number + 1 FROM all_rows WHERE number < \(rows))
            INSERT INTO page SELECT number, 0, zeroblob(1500) FROM all_rows;
            """)
        #expect(try writer.checkpoint(truncating: true) == 0)
    }

    /// Connects past the layer that gathers, as readers do.
    func connect() throws -> SQLiteConnection {
        try SQLiteConnection(path: path, mode: .readOnly, fileAccess: "unix-excl")
    }

    /// The sum of all values.
    func sum(_ connection: SQLiteConnection) throws -> Int64? {
        try connection.number("SELECT sum(value) FROM page")
    }

    /// Sets all rows to 1 and the first to 2.
    /// - Returns: a connection that reads as if the first were 1, too.
    func changeBehindRead() throws -> SQLiteConnection {
        try writer.execute("UPDATE page SET value = 1")
        let old = try connect()
        try old.execute("BEGIN")
        #expect(try sum(old) == Int64(rows))
        try writer.execute("UPDATE page SET value = 2 WHERE number = 1")
        return old
    }

    /// Checks what readers see while `old` reads, then moves the log and checks what is in the file.
    func checkAll(beside old: SQLiteConnection) throws {
        #expect(try sum(try connect()) == Int64(rows) + 1)
        #expect(try sum(old) == Int64(rows))
        try old.execute("COMMIT")
        #expect(try sum(old) == Int64(rows) + 1)
        #expect(try writer.checkpoint(truncating: true) == 0)
        #expect(try sum(writer) == Int64(rows) + 1)
        try FileManager.default.copyItem(atPath: path, toPath: path + "-copy")
        let copy = try SQLiteConnection(path: path + "-copy", mode: .readWrite, fileAccess: "unix-excl")
        #expect(try sum(copy) == Int64(rows) + 1)
        #expect(try copy.text("PRAGMA integrity_check") == "ok")
    }

    /// Checkpoints as the store does it.
    /// - Returns: how many pages are left in the log, and the number of writes to the database.
    func checkpoint() throws -> (left: Int, writes: Int) {
        let before = faulty_count(FAULTY_WRITE, FAULTY_MAIN)
        let left = try writer.checkpoint(truncating: false)
        return (left, Int(faulty_count(FAULTY_WRITE, FAULTY_MAIN) - before))
    }
}

extension `A disk that fails` {
    @Test func `is written in few pieces by a checkpoint that holds up writes`() async throws {
        try await withDirectory { directory in
            let file = try PagedFile(in: directory, rows: 1_000)
            try file.writer.execute("UPDATE page SET value = 1")
            let (left, writes) = try file.checkpoint()
            #expect(left == 0 && writes < 40)
            #expect(try file.sum(try file.connect()) == 1_000)
            // Writes may go on beside this one, and then it does not sync what it wrote.
            try file.writer.execute("UPDATE page SET value = 2")
            let before = faulty_count(FAULTY_WRITE, FAULTY_MAIN)
            try file.writer.execute("PRAGMA wal_checkpoint(PASSIVE)")
            #expect(faulty_count(FAULTY_WRITE, FAULTY_MAIN) - before >= 1_000)
            #expect(try file.sum(try file.connect()) == 2_000)
        }
    }

    @Test func `has each page that readers look for when a read holds up a checkpoint`() async throws {
        try await withDirectory { directory in
            let file = try PagedFile(in: directory, rows: 1_000)
            let old = try file.changeBehindRead()
            let (left, writes) = try file.checkpoint()
            #expect(left > 0 && writes >= 999)
            try file.checkAll(beside: old)
        }
    }

    @Test(arguments: [FAULTY_FULL, FAULTY_IO_WRITE])
    func `fails a checkpoint that a read holds up, and loses no page`(code: faulty_code) async throws {
        try await withDirectory { directory in
            // All pages would fit in one piece.
            let file = try PagedFile(in: directory, rows: 40)
            let old = try file.changeBehindRead()
            unsafe faulty_fail(directory, FAULTY_WRITE, FAULTY_MAIN, code)
            defer { faulty_heal() }
            let failure = #expect(throws: SQLiteFailure.self) {
                try file.writer.checkpoint(truncating: false)
            }
            #expect(failure?.code == Int32(code.rawValue))
            faulty_heal()
            try file.checkAll(beside: old)
        }
    }

    @Test(arguments: [40, 1_000], [FAULTY_FULL, FAULTY_IO_WRITE])
    func `fails a checkpoint that writes in few pieces, and loses no page`(
        rows: Int, code: faulty_code
    ) async throws {
        try await withDirectory { directory in
            let file = try PagedFile(in: directory, rows: rows)
            try file.changeBehindRead().execute("COMMIT")
            unsafe faulty_fail(directory, FAULTY_WRITE, FAULTY_MAIN, code)
            defer { faulty_heal() }
            for _ in 0..<2 {
                let failure = #expect(throws: SQLiteFailure.self) {
                    try file.writer.checkpoint(truncating: false)
                }
                #expect(failure?.code == Int32(code.rawValue))
                #expect(try file.sum(try file.connect()) == Int64(rows) + 1)
            }
            faulty_heal()
            #expect(try file.sum(file.writer) == Int64(rows) + 1)
            try file.writer.execute("UPDATE page SET value = 1 WHERE number = 1")
            let old = try file.changeBehindRead()
            try file.checkAll(beside: old)
        }
    }
}
