/// The place where the examples note what they did, instead of a screen.
actor Notes {
    static let shared = Notes()
    private(set) var lines: [String] = []

    func add(_ line: String) { lines.append(line) }
}

/// Ends the program unless an example did what it should.
func check<Value: Equatable>(_ what: String, _ got: Value, _ wanted: Value) throws {
    guard got == wanted else { throw Surprise(text: "\(what) is \(got), expected \(wanted)") }
}

struct Surprise: Error {
    let text: String
}
