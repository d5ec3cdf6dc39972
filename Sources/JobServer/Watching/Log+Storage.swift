import JobStore

extension Log {
    /// Writes down that the store cannot take writes any more, or that it can again.
    func write(_ condition: StoreCondition) {
        switch condition {
        case .sound: write(.info, "storage_recovered", message: "Writes are taken again.")
        case .full(let detail): write(.error, "storage_full", message: detail)
        case .failing(let detail): write(.error, "storage_failing", message: detail)
        case .damaged(let detail): write(.error, "storage_damaged", message: detail)
        }
    }
}
