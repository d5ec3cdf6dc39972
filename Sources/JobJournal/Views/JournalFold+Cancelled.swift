package import JobKit
package import JobSpec

extension JournalFold {
    /// The last entries of unfinished operations in a job that is cancelled while none of it is in flight: inner ones
    /// before their parents, without the root's. Operations inside a parent that has not started end with it, and
    /// future runs of a repetition do not exist. They record what would be shown without them. For a fold of all
    /// entries.
    /// - Parameter now: the time of the cancellation.
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
