/// The owner of a durable tree of operations, which may suspend the tree while all of it waits.
///
/// An operation only reports here and goes on waiting. The supervisor examines the tree later, asynchronously
/// (`JobTree.Root.idleUntil`), and may suspend it (`JobTree.Root.suspend`): that cancels the wait.
package protocol TreeSupervisor: Sendable {
    /// An operation began to wait until `date`, which is `Timestamp.never` when no date ends the wait.
    func waitBegan(until date: Timestamp)

    /// An operation that may have kept the tree busy ended or became idle.
    func operationBecameIdle()

    /// Work of the tree begins to wait for something that others do, and needs no slot meanwhile.
    func workBeganToAwait()

    /// The wait is over. Returns when the work may go on.
    func workAwaited() async
}
