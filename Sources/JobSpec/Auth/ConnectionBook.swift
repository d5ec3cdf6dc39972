/// Named places that calls go to: where, as whom, and on which way.
public protocol ConnectionBook: Sendable {
    /// The connection as it is now; nil when there is none of this name. Must return quickly: it is asked on the way
    /// to every call that names one.
    func connection(named name: String) -> ConnectionSpec?
}
