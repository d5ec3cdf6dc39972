package import JobKit
package import JobStore

/// The jobs that run, as requests reach them.
package protocol RunControl: Sendable {
    /// Takes stored requests to runs: stops those whose jobs are `cancelling`, and delivers messages. Does nothing for
    /// jobs that do not run here. Returns at once; the state of a job tells when its run has stopped. From any thread;
    /// requests to one job in their order.
    func take(_ requests: [RunRequest])

    /// Delivers a post to the run of its job; does nothing when it is not running here. From any thread. The run sees
    /// the posts in the order of their numbers.
    /// - Parameter number: the number of the post.
    func deliver(_ message: JobMessage, number: Int64, to id: JobID)

    /// Keeps a group of a running job open for a member, until the member is delivered or forgotten; asks the server
    /// that runs the job when this is another. On any thread.
    func reserveMember(
        in group: [String], of id: JobID, answer: @escaping @Sendable (MemberPlace) -> Void)

    /// Ends a reservation without a member.
    func forgetMember(in group: [String], of id: JobID)

    /// Calls `answer` with the explanations of a running job's unfinished operations, groups before their members; nil
    /// when it is not running here. On any thread.
    func explain(_ id: JobID, answer: @escaping @Sendable ([OperationExplanation]?) -> Void)

    /// The questions and answers of the servers that share the store.
    var link: ServerLink { get }

    /// The progress of a running job; nil when it reports none and has no operations. That of a job of another server
    /// is up to two seconds old. Cheap; on any thread.
    func progress(of id: JobID) -> LiveProgress?

    /// Why an operation waits for exclusive keys: their holder, and the number of operations ahead of it.
    func standing(
        of path: [String], in id: JobID, for keys: WaitedKeys, _ reader: any JobReader
    ) throws(JobStoreError) -> KeyStanding

    /// Looks for schedules whose time has come. On any thread.
    func lookAtSchedules()

    /// Makes the jobs of the planned times of a schedule that are due, and then calls `done`; of very many the first.
    /// On any thread.
    func settleSchedule(_ name: String, then done: @escaping @Sendable () -> Void)

    /// Begins with a bulk action that was stored. On any thread.
    func begin(_ bulk: BulkRecord)

    /// The servers that are alive and share the jobs, as they tell about themselves.
    func servers(_ reader: any JobReader) throws(JobStoreError) -> [ServerRecord]

    /// This server, if it tells about itself.
    var server: ServerRecord? { get }

    /// Whether jobs may run here: false while a store that is shared gives this server no lease.
    var mayRun: Bool { get }

    /// The number of jobs that are running here.
    var runningCount: Int { get }

    /// The origins of calls and their health.
    var origins: OriginBoard { get }

    /// Wakes the jobs that a decision about a grant, or its removal, has not woken. On any thread.
    func wakeSettled()

    /// Clears what holds the calls of origins back. Writes of jobs that follow are stored after it.
    func reset(_ origins: [String])
}

/// Exclusive keys that an operation waits for.
package struct WaitedKeys {
    /// Their names in the store.
    package var stored: [String]
    /// Their names for the reader.
    package var named: [String]

    package init(stored: [String], named: [String]) {
        self.stored = stored
        self.named = named
    }
}

/// Whether a group takes another member.
package enum MemberPlace: Sendable, Hashable {
    /// The group is kept open for the member.
    case reserved
    /// Another server keeps the group open until then.
    case reservedElsewhere(until: ContinuousClock.Instant)
    /// The group has ended.
    case closed
    /// The job does not run, or its server did not answer: the store decides.
    case notRunning
}
