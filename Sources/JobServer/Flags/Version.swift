/// The version of the program.
enum Version {
    /// Semantic version of the API and the program.
    static let text = "0.1.0"
}
