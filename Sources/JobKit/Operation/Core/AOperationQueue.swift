internal import Synchronization

/// Runs operations as soon as their dependencies have finished, up to its capacity at once.
///
/// ```swift
/// let queue = AOperationQueue(capacity: 4)
/// let token = queue.add(FetchToken(password: "…").timeout(.seconds(5)))
/// let profile = queue.add(FetchProfile().receiving(token))
/// let ada = try await profile.value
/// ```
public final class AOperationQueue: Sendable {
    let core: QueueCore

    /// A shared queue: by default without a limit, with the system clock and without a transport. A program that wants
    /// another one sets it when it begins; operations that were added before stay on theirs.
    ///
    /// ```swift
    /// AOperationQueue.shared = AOperationQueue(environment: OperationEnvironment(transport: transport))
    /// ```
    public static var shared: AOperationQueue {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    private static let current = Mutex(AOperationQueue(name: "shared"))

    /// - Parameters:
    ///   - name: its name in explanations.
    ///   - capacity: the number of operations executed at once; nil is no limit, 0 runs none until it is raised.
    ///   - environment: the environment of its operations.
    ///   - delegate: asked before operations are added, and told about their ends.
    public init(
        name: String = "queue", capacity: Int? = nil,
        environment: consuming OperationEnvironment = OperationEnvironment(),
        delegate: (any OperationQueueDelegate)? = nil
    ) {
        core = QueueCore(
            capacity: capacity, environment: environment, parent: nil, name: name, delegate: delegate)
    }

    /// Adds an operation, which begins automatically. One that is refused, by the delegate or because its unique key is
    /// taken, ends immediately as failed, with the reason.
    @discardableResult
    public func add<Output>(_ operation: some OperationConvertible<Output>) -> OperationHandle<Output> {
        core.add(operation.recipe)
    }

    /// The same for the operations of jobs. Not generic, so that it is compiled for their type: elsewhere each step
    /// would look for types.
    package func add(recipe: OperationRecipe<OperationResult>) -> OperationHandle<OperationResult> {
        core.add(recipe)
    }

    /// The number of operations executed at once; nil is no limit. Raising it begins operations, lowering it stops
    /// none; with 0 none begins.
    public var capacity: Int? {
        get { core.slots.capacity }
        set { core.slots.capacity = newValue }
    }

    /// Stops or resumes the start of operations; running ones go on.
    public var isSuspended: Bool {
        get { core.isSuspended(for: .asked) }
        set { newValue ? core.suspend(for: .asked) : core.resume(for: .asked) }
    }

    /// The number of unfinished operations.
    public var unfinishedCount: Int { core.unfinishedCount }

    /// Requests the cancellation of everything on the queue.
    public func cancelAll(reason: String? = nil) { core.cancelAll(code: .cancelledUser, reason: reason) }

    /// Returns when nothing on the queue is unfinished, or as soon as the task that waits is cancelled. In the work of
    /// an operation: when nothing is unfinished but that one, and those that wait for it.
    public func waitUntilDrained() async {
        var waiting: Set<ObjectIdentifier> = []
        while let operation = core.anyUnfinished(except: waiting) {
            do throws(AOperationError) {
                let ending = try await operation.loan.whileAwaited {
                    await operation.waitUntilFinishedOrCancelled()
                }
                if ending == nil { return }
            } catch {
                waiting.insert(ObjectIdentifier(operation))
            }
        }
    }
}

/// Asked before operations are added to a queue, and told about their ends. All methods are called on the thread of the
/// event and must not block. The question has no default answer: a slip in its signature would admit everything.
public protocol OperationQueueDelegate: Sendable {
    /// An operation is about to be added. An error refuses it: it ends as failed with this error and is never executed.
    func queue(_ queue: String, willAdd operation: OperationInfo) -> AOperationError?
    /// An operation was added.
    func queue(_ queue: String, didAdd operation: OperationInfo)
    /// The outcome of an operation is decided and not visible yet.
    func queue(_ queue: String, willFinish operation: OperationInfo, as ending: OperationEnding)
    /// An operation is over.
    func queue(_ queue: String, didFinish operation: OperationInfo, as ending: OperationEnding)
}

extension OperationQueueDelegate {
    /// Does nothing.
    public func queue(_ queue: String, didAdd operation: OperationInfo) {}
    /// Does nothing.
    public func queue(_ queue: String, willFinish operation: OperationInfo, as ending: OperationEnding) {}
    /// Does nothing.
    public func queue(_ queue: String, didFinish operation: OperationInfo, as ending: OperationEnding) {}
}
