package protocol QueueReads: Sendable {
    /// The queues that have jobs, by name, with their running jobs and, of jobs that wait among all others, the first
    /// 10,000 of all queues.
    func queues() throws(JobStoreError) -> [QueueStanding]
}
