package import JobKit
package import JobSpec

extension JournalFold {
    /// The last entries of what is not over in a job that is cancelled while nothing of it is in flight: inner ones
    /// before what they stand in, and the job's own left out. What stands in something that has not begun ends with
    /// that, and runs that a repetition has not come to are none. They say what would be shown without them. For a fold
    /// of all entries.
    /// - Parameter now: when it is cancelled.
    package func cancelledEntries(of spec: JobSpec, at now: Timestamp) -> [JournalEntry] {
        var fold = self
        fold.beginAnew(in: spec.operation)
        fold.apply(JournalEntry(at: now, path: [], event: .finished(OperationEnding(state: .cancelled))))
        var around: [[String]: OperationView] = [:]
        var entries: [JournalEntry] = []
        for view in fold.views(spec: spec, jobState: .cancelled) {
            around[view.path] = view
            guard let outer = around[Array(view.path.dropLast())], !view.path.isEmpty else { continue }
            let history = fold.histories[view.path]
            guard history?.ending == nil, fold.histories[outer.path]?.startedAt != nil else { continue }
            if outer.type == "repeat", history?.startedAt == nil, history?.wait == nil { continue }
            let ending = OperationEnding(state: view.state, errors: view.errors)
            entries.append(JournalEntry(at: now, path: view.path, event: .finished(ending)))
        }
        return entries.reversed()
    }
}
