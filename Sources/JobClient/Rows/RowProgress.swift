internal import EventIO

/// The progress of many rows on standard error: a line that changes on a terminal, elsewhere one from time to time.
struct RowProgress {
    private var line: ProgressLine
    private let isQuiet: Bool
    private var last = ContinuousClock.now

    private static let plainEvery = Duration.seconds(10)

    init(isQuiet: Bool) {
        self.isQuiet = isQuiet
        line = ProgressLine(isQuiet: isQuiet)
    }

    /// Shows how far it is.
    mutating func show(_ text: String) {
        guard !line.isWatched else { return line.show(text) }
        guard !isQuiet, last + Self.plainEvery < .now else { return }
        last = .now
        say(text)
    }

    /// Writes a line that stays.
    mutating func say(_ text: String) {
        line.clear()
        DescriptorOutput.standardError.write(Array((text.onTerminal + "\n").utf8))
    }

    /// Writes a line that stays, unless nothing is to be shown.
    mutating func tell(_ text: String) {
        if isQuiet { line.clear() } else { say(text) }
    }

    mutating func clear() { line.clear() }
}
