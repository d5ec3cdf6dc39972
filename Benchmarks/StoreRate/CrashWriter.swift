import Glibc
import JobStore
import SQLiteStore

/// Submits without end and prints the id of each acknowledged job, until the process is killed.
struct CrashWriter {
    var directory: String

    func run() async throws {
        let store = try DataDirectory(directory).open()
        let start = UInt64.random(in: 0..<(1 << 40))
        await withTaskGroup(of: Void.self) { group in
            for lane in 0..<8 as Range<UInt64> {
                group.addTask { await submit(to: store, from: start + (lane << 20)) }
            }
        }
    }

    private func submit(to store: any JobStore, from start: UInt64) async {
        for number in start..<start + (1 << 20) {
            let job = sampleJob(number)
            let line = Array("\(job.record.id)\n".utf8)
            let isStored = await withCheckedContinuation { continuation in
                store.submit(job) { result in
                    if case .success = result {
                        continuation.resume(returning: true)
                    } else {
                        continuation.resume(returning: false)
                    }
                }
            }
            guard isStored else { return }
            _ = unsafe write(STDOUT_FILENO, line, line.count)
        }
    }
}
