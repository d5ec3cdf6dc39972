internal import JobStore

/// The duties of a server whose store others share.
extension JobRunner {
    /// Ends the runs by this server's own clock when its lease has ended, answers the other servers, and hears them.
    /// Before the first lease.
    func beginSharing() {
        guard link.isShared else { return }
        watchLease()
        loans.begin { [self] id in state.withLock { $0.runs[id] } }
        link.on(ServerMessage.granted) { [self] id, body, _ in
            state.withLock { $0.runs[id] }?.keys?.granted(to: body.names)
        }
        link.on(JobProgress.subject) { [self] id, body, _ in
            if let progress = JobProgress(message: body) { others.note(progress, of: id) }
        }
    }

    /// Tells the other servers how far the jobs are that report progress here, and looks for what servers left behind
    /// that have died.
    func keepUpSharing() {
        guard link.isShared else { return }
        link.notify(
            progress.news().map { id, progress in
                ServerMessage(.notice, job: id, subject: JobProgress.subject, body: progress.message)
            })
        bulks?.lookAtOthers()
        grants.lookAtOthers()
    }
}
