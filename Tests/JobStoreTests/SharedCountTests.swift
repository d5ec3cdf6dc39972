import JobKit
import JobStore
import ScratchPostgres
import StoreThreads
import Synchronization
import Testing

@testable import PostgresStore

@Suite(.enabled(if: PostgresServer.isInstalled)) struct `Counts of a server that could not read` {
    /// - Parameter gapMax: the time in which no row can be missed.
    private func follower(
        of servers: Servers, gapMax: Duration
    ) throws -> (follower: CommitFollower, board: PostgresBoard) {
        let connection = try servers.connection()
        let start = try LandedTable(connection).counts()
        let board = PostgresBoard(counts: start.counts, server: "late")
        let follower = CommitFollower(
            connection.address, board: board, last: start.last, since: .now, bell: Bell(),
            milliseconds: 50, gapMax: gapMax)
        return (follower, board)
    }

    @Test func `include what was folded meanwhile`() async throws {
        try await Servers.run { servers in
            try await servers[0].add(.sample())
            let (follower, board) = try follower(of: servers, gapMax: .zero)
            #expect(board.jobCounts.byState == [.queued: 1])
            for _ in 0..<2 { try await servers[0].add(.sample()) }
            try await servers[1].add(.sample(dueAt: .noon(9)))
            try servers.foldReceipts()
            try await servers[1].add(.sample(dueAt: .noon(9)))
            let gaps = Mutex(0)
            board.observeGaps { gaps.withLock { $0 += 1 } }
            try follower.look()
            #expect(gaps.withLock(\.self) > 0)
            #expect(board.jobCounts.byState == [.queued: 3, .scheduled: 2])
            try await servers[0].add(.sample())
            try follower.look()
            #expect(board.jobCounts.byState == [.queued: 4, .scheduled: 2])
        }
    }

    @Test func `are added up from what others tell while nothing can be missed`() async throws {
        try await Servers.run { servers in
            let (follower, board) = try follower(of: servers, gapMax: .seconds(600))
            try await servers[0].add(.sample())
            try await servers[1].add(.sample(dueAt: .noon(9)))
            for _ in 0..<2 {
                try follower.look()
                #expect(board.jobCounts.byState == [.queued: 1, .scheduled: 1])
            }
        }
    }

    @Test func `include an own commit of which it was not known whether it was made`() async throws {
        try await Servers.run { servers in
            let (follower, board) = try follower(of: servers, gapMax: .seconds(600))
            let names = try servers.connection().run("SELECT id FROM \(servers.schema).server")
            board.server = names.text(0, 0)
            let gaps = Mutex(0)
            board.observeGaps { gaps.withLock { $0 += 1 } }
            for store in servers.stores { try await store.add(.sample()) }
            try follower.look()
            #expect(board.jobCounts.byState == [.queued: 1])
            board.noteUntold()
            try follower.look()
            #expect(board.jobCounts.byState == [.queued: 2])
            #expect(gaps.withLock(\.self) == 1)
        }
    }

    @Test func `include each receipt once, whichever server folds it and when`() async throws {
        try await Servers.run(1) { servers in
            let connection = try servers.connection()
            try connection.run("INSERT INTO \(servers.schema).server VALUES ('a', 0), ('b', 0)")
            func land(_ numbers: ClosedRange<Int64>, at time: Int64, of server: String, ends: [UInt8]? = nil)
                throws
            {
                var news = CommitNews()
                news.counts.add(1, to: .queued)
                for number in numbers {
                    try connection.run(
                        "INSERT INTO \(servers.schema).landed VALUES ($1, $2, $3, $4, $5)",
                        [
                            .text(server), .integer(number), .integer(time), .bytes(news.encoded()),
                            .bytes(ends),
                        ])
                }
            }
            func left() throws -> [Int64] {
                let rows = try connection.run(
                    "SELECT number FROM \(servers.schema).landed WHERE server IN ('a', 'b') ORDER BY server, number"
                )
                return (0..<rows.count).map { rows.integer($0, 0) }
            }
            let landed = LandedTable(connection)
            var (own, others): ([String: Int64], [String: Int64]) = ([:], [:])
            func fold(from starts: inout [String: Int64]) throws {
                #expect(try !landed.fold(before: Timestamp(milliseconds: 10), from: &starts))
                let counts = try landed.counts().counts.byState
                #expect(counts == [.queued: 9])
            }
            try land(1...3, at: 5, of: "a")
            try land(4...4, at: 20, of: "a")
            try land(5...5, at: 5, of: "a")
            try land(1...1, at: 5, of: "b")
            try land(2...2, at: 5, of: "b", ends: [0])
            try land(3...4, at: 5, of: "b")
            try fold(from: &own)
            #expect(try left() == [4, 2])
            try fold(from: &others)
            #expect(own["a"] == 1 && others["a"] == 4 && others["b"] == 2)
            try connection.run("INSERT INTO \(servers.schema).counted VALUES ('b', 2)")
            try connection.run("UPDATE \(servers.schema).landed SET at = 5 WHERE server = 'a'")
            try fold(from: &others)
            #expect(try left() == [])
            try fold(from: &own)
            try landed.removeServers(from: Timestamp(milliseconds: 10), starts: own)
            #expect(
                try connection.run("SELECT 1 FROM \(servers.schema).server WHERE id IN ('a', 'b')").count == 0
            )
        }
    }

    @Test func `come in parts when the news are large, each with what is in it`() async throws {
        try await Servers.run(1) { servers in
            let connection = try servers.connection()
            var news = CommitNews()
            news.counts.add(1, to: .queued)
            news.changes = [JobChange(id: .made(at: .noon), state: .queued, revision: 1)]
            news.changes[0].name = String(repeating: "n", count: 10_000)
            try connection.run("INSERT INTO \(servers.schema).server VALUES ('other', 0)")
            for number in 0..<5 {
                try connection.run(
                    "INSERT INTO \(servers.schema).landed VALUES ('other', $1, 0, $2)",
                    [.integer(Int64(number)), .bytes(news.encoded())])
            }
            let landed = LandedTable(connection)
            var (last, counts, isWhole): ([String: Int64], [Int], Bool) = ([:], [], false)
            while !isWhole, counts.count < 9 {
                let part = try landed.rows(after: last, besides: "self", bytesMax: 15_000)
                let own = part.found.filter { $0.server == "other" }
                #expect(own.allSatisfy { $0.news.changes.map(\.name.utf8.count) == [10_000] })
                for row in part.found { last[row.server] = row.number }
                (isWhole, counts) = (part.isWhole, counts + [own.count])
            }
            #expect(counts == [2, 2, 1])
            #expect(try landed.counts().counts.byState == [.queued: 5])
        }
    }

    @Test func `have its own commits once, whenever they came`() throws {
        let board = PostgresBoard(counts: JobCounts(), server: "a")
        func commit(_ number: Int64, made count: Int64) {
            var news = CommitNews()
            news.counts.add(count, to: .queued)
            board.publish(news, from: "a", number: number)
        }
        func queued(_ count: Int64) -> JobCounts {
            var counts = JobCounts()
            counts.add(count, to: .queued)
            return counts
        }
        commit(1, made: 1)
        var last = try board.recount { () throws(PostgresFailure) in
            commit(2, made: 10)
            commit(3, made: 100)
            // The second commit is in what was read, the third came after it.
            return (counts: queued(1_011), last: ["a": 2, "b": 7])
        }
        #expect(last == ["a": 2, "b": 7])
        #expect(board.jobCounts == queued(1_111))
        last = try board.recount { () throws(PostgresFailure) in
            (counts: queued(11_111), last: ["a": 4, "b": 8])
        }
        #expect(last == ["a": 4, "b": 8])
        // What was read has the fourth commit, too, before its server knew that it was made.
        commit(4, made: 10_000)
        #expect(board.jobCounts == queued(11_111))
        commit(5, made: 100_000)
        #expect(board.jobCounts == queued(111_111))
        // Under another name the server counts anew.
        var news = CommitNews()
        news.counts.add(-1, to: .queued)
        board.publish(news, from: "a2", number: 1)
        #expect(board.jobCounts == queued(111_110))
    }
}
