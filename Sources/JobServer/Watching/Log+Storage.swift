import JobStore

extension Log {
    /// Logs that the store takes no new jobs, takes no writes, or takes both again.
    func write(_ condition: StoreCondition) {
        switch condition {
        case .sound: write(.info, "storage_recovered", message: "Writes are taken again.")
        case .low(let detail): write(.error, "storage_low", message: detail)
        case .full(let detail): write(.error, "storage_full", message: detail)
        case .failing(let detail): write(.error, "storage_failing", message: detail)
        case .damaged(let detail): write(.error, "storage_damaged", message: detail)
        }
    }
}
