package import JobKit

/// An obstacle to the jobs of a queue, or to those with one key.
package enum QueueObstacle: Sendable, Hashable {
    /// A person paused the queue.
    case paused
    /// As many run as may.
    case concurrency(running: Int, of: Int)
    /// As many have begun as the rate lets.
    case rate(RateLimit, opens: Timestamp)
}
