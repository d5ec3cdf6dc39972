import ContentFiles
import JobKit
import JobStore
import StoreThreads
import Synchronization

/// Checks and backups run on separate threads, so that neither the writer nor the callers wait.
extension SQLiteJobStore {
    var condition: StoreCondition { board.condition }

    func observeCondition(_ observer: @escaping @Sendable (StoreCondition) -> Void) {
        board.observeCondition(observer)
    }

    var pressure: StorePressure { queue.pressure }

    func pressure(of tenant: Tenant?) -> StorePressure { queue.pressure(of: tenant?.name ?? "") }

    var space: StoreSpace? {
        guard var space = files?.space ?? options.reserve.room(at: directory).map(StoreSpace.init) else {
            return nil
        }
        space.databaseBytes = ArtifactDirectory.byteCount(path)
        space.logBytes = ArtifactDirectory.byteCount(path + "-wal")
        return space
    }

    func checkHealth(reply: @escaping StoreReply<Void>) {
        write(reply) { session throws(SQLiteFailure) in try session.probe() }
    }

    func close() async {
        board.close()
        queue.close()
        await withCheckedContinuation { continuation in
            board.whenEnded { continuation.resume() }
        }
        // The process may go on without this store.
        board.closeReaders()
        files?.close()
    }

    func checkIntegrity(readsFiles: Bool, reply: @escaping StoreReply<IntegrityReport>) {
        let (path, board, fileAccess) = (path, board, options.fileAccess)
        let makeDigest = readsFiles ? options.artifacts?.makeDigest : nil
        let told: StoreReply<IntegrityReport> = { result in
            if case .success(let report) = result, case .damaged(let lines) = report.outcome {
                board.note(damage: SQLiteFailure.damage(of: path, lines.first ?? ""))
            }
            reply(result)
        }
        inBackground(told) { () throws(SQLiteFailure) in
            .success(
                try board.readingLong { () throws(SQLiteFailure) in
                    let owners = board.leases.withLock { $0.alive(at: SystemClock().now) }
                    return try IntegrityCheck.run(
                        path: path, fileAccess: fileAccess, owners: owners, makeDigest: makeDigest
                    ) { !board.endsLongReads }
                })
        }
    }

    func backUp(to target: String, reply: @escaping StoreReply<BackupSummary>) {
        let (directory, board, fileAccess, reserve) = (
            directory, board, options.fileAccess, options.reserve
        )
        inBackground(reply) { () throws(SQLiteFailure) in
            board.readingLong {
                do throws(JobStoreError) {
                    return .success(
                        try StoreBackup.make(
                            of: directory, at: target, fileAccess: fileAccess, reserve: reserve
                        ) { !board.endsLongReads })
                } catch {
                    return .failure(error)
                }
            }
        }
    }

    private func inBackground<Value: Sendable>(
        _ reply: @escaping StoreReply<Value>,
        _ work: @escaping @Sendable () throws(SQLiteFailure) -> Result<Value, JobStoreError>
    ) {
        let path = path
        do throws(JobStoreError) {
            try OSThread.start("store-care") {
                do throws(JobStoreError) {
                    reply(
                        try OSThread.atLeisure {
                            do throws(SQLiteFailure) { return try work() } catch {
                                return .failure(
                                    error.storeError(doing: "Reading the store failed", path: path))
                            }
                        })
                } catch {
                    reply(.failure(error))
                }
            }
        } catch {
            reply(.failure(error))
        }
    }
}

extension StoreSpace {
    fileprivate init(_ room: DiskReserve.Room) { self.init(freeBytes: room.free, reserveBytes: room.reserve) }
}
