/// The wake key of jobs that wait for an origin.
package enum OriginWake {
    /// - Parameter origin: `https://host:port`, the port only when it is not the scheme's default.
    package static func key(_ origin: String) -> String { "origin:\(origin)" }
}
