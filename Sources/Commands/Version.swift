package enum Version {
    /// The semantic version of the API and the program.
    package static let text = "0.1.0"
}
