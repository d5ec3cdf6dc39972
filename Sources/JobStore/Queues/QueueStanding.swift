package import JobKit

/// The state of a queue.
package struct QueueStanding: Sendable, Hashable {
    package var name: String
    /// The number of jobs that are runnable and wait.
    package var waiting = 0
    /// The number of jobs that run.
    package var running = 0
    /// Whether `waiting` is only a lower bound, since counting all would take too long.
    package var isAtLeast = false
    /// The time since which the first of the waiting jobs waits.
    package var oldest: Timestamp?
    /// The obstacle to all its jobs.
    package var obstacle: QueueObstacle?
    /// The number of jobs that its rate lets begin at once; nil without a rate.
    package var rateRoom: Int?

    package init(_ name: String) { self.name = name }
}

/// The state of one key of a queue.
package struct QueueKeyStanding: Sendable, Hashable {
    package var key: String
    package var waiting = 0
    package var running = 0
    /// The time since which the first of the waiting jobs waits.
    package var oldest: Timestamp?
    /// The obstacle to its jobs, beside that to the whole queue.
    package var obstacle: QueueObstacle?

    package init(_ key: String) { self.key = key }

    mutating func add(waiting count: Int, since time: Timestamp) {
        waiting += count
        oldest = min(oldest ?? time, time)
    }
}

/// The place of a job in the line of its queue, and what holds it back.
package struct QueuedJob: Sendable, Hashable {
    package var queue: String
    package var key: String?
    /// The number of jobs that come before it.
    package var ahead: Int
    /// The obstacle to the queue.
    package var obstacle: QueueObstacle?
    /// The obstacle to the jobs with its key.
    package var keyObstacle: QueueObstacle?

    package init(
        queue: String, key: String?, ahead: Int, obstacle: QueueObstacle?, keyObstacle: QueueObstacle?
    ) {
        self.queue = queue
        self.key = key
        self.ahead = ahead
        self.obstacle = obstacle
        self.keyObstacle = keyObstacle
    }
}

extension QueueStanding {
    /// The queue of jobs that name none. It exists without jobs, too.
    private static let standard = "default"

    /// The state of all queues by name: those with a line, those that have jobs, and the default one.
    package static func all(_ lines: [QueueStanding], others: [QueueStanding]) -> [QueueStanding] {
        var found = Dictionary(others.map { ($0.name, $0) }) { first, _ in first }
        for line in lines {
            var standing = line
            if let other = found[line.name] {
                standing.running = max(line.running, other.running)
                standing.waiting += other.waiting
                standing.oldest = [line.oldest, other.oldest].compactMap(\.self).min()
                standing.isAtLeast = other.isAtLeast && other.waiting > 0
            }
            found[line.name] = standing
        }
        if found[standard] == nil { found[standard] = QueueStanding(standard) }
        return found.values.sorted { $0.name < $1.name }
    }
}

package protocol QueueReads: Sendable {
    /// The queues that have jobs, by name, with their running jobs and, of jobs that wait among all others, the first
    /// 10,000 of all queues.
    func queues() throws(JobStoreError) -> [QueueStanding]
}

/// An obstacle to the jobs of a queue, or to those with one key.
package enum QueueObstacle: Sendable, Hashable {
    /// A person paused the queue.
    case paused
    /// As many run as may.
    case concurrency(running: Int, of: Int)
    /// As many have begun as the rate lets.
    case rate(RateLimit, opens: Timestamp)
}
