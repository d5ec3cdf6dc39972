import JobStore

/// Callback jobs; see `WriterSession+Callbacks`.
extension MemoryLedger {
    mutating func submit(callbacks: [JobCallbacks]) throws(JobStoreError) -> Int {
        var count = 0
        for callback in callbacks {
            guard let number = entries[callback.end.id]?.job.number, ends[number] == callback.end else {
                continue
            }
            ends[number] = nil
            for job in callback.jobs {
                _ = try insert(job)
                count += 1
            }
        }
        return count
    }

    func endsToTell(limit: Int) -> [JobEnd] {
        ends.sorted { $0.key < $1.key }.prefix(limit).map(\.value)
    }
}
