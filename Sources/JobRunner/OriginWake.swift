/// The key under which jobs are woken that wait for an origin.
package enum OriginWake {
    /// - Parameter origin: `https://host:port`, the port only when it is not the scheme's own.
    package static func key(_ origin: String) -> String { "origin:\(origin)" }
}
