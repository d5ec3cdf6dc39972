enum Version {
    /// The semantic version of the API and the program.
    static let text = "0.1.0"
}
