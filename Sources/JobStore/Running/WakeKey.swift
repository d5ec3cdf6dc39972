/// Keys under which suspended jobs are woken.
package enum WakeKey {
    /// The key of jobs that wait for an origin.
    /// - Parameter origin: `https://host:port`, the port only when it is not the scheme's default.
    package static func origin(_ origin: String) -> String { "origin:\(origin)" }
}
