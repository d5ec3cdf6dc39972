internal import EventIO
internal import StrictJSON

/// A line on the terminal that shows how far a job is; nothing when standard error is no terminal.
struct ProgressLine {
    private let output = DescriptorOutput.standardError
    private let isShown: Bool
    private var shown = ""
    private static let barWidth = 24

    /// - Parameter isQuiet: whether nothing is shown anyway.
    init(isQuiet: Bool = false) { isShown = !isQuiet && DescriptorOutput.standardError.isTerminal }

    /// Whether a person watches.
    var isWatched: Bool { isShown }

    mutating func show(_ job: JobFacts) {
        guard isShown else { return }
        var text = "\(job.name) \(job.state)"
        if let done = job.number("/progress/done") {
            let unit = job.at("/progress/unit")?.string
            let total = job.number("/progress/total")
            if let total, total > 0 { text += " " + Self.bar(done: done, of: total) }
            text += " \(Self.amount(done, unit))" + (total.map { " of \(Self.amount($0, unit))" } ?? "")
        } else if let done = job.number("/operations/done"), let total = job.number("/operations/total") {
            text += " " + Self.bar(done: done, of: total) + " \(done) of \(total)"
            if let failed = job.number("/operations/failed"), failed > 0 { text += ", \(failed) failed" }
        } else if !job.isDone, let wait = job.wait {
            text += ": \(wait)"
        }
        show(text)
    }

    mutating func show(_ text: String) {
        guard isShown else { return }
        put(String(text.onOneLine.prefix(max(10, output.columns - 1))))
    }

    mutating func clear() { put("") }

    private mutating func put(_ text: String) {
        guard isShown, text != shown else { return }
        shown = text
        output.write(Array("\r\u{1B}[K\(text)".utf8))
    }

    static func bar(done: Int, of total: Int) -> String {
        // The numbers are the server's: their product might be none of 64 bits.
        let whole = max(1, total)
        let part = min(max(0, done), whole)
        let filled = whole.dividingFullWidth(part.multipliedFullWidth(by: barWidth)).quotient
        let percent = whole.dividingFullWidth(part.multipliedFullWidth(by: 100)).quotient
        return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: barWidth - filled)
            + "] \(percent)%"
    }

    static func amount(_ count: Int, _ unit: String?) -> String {
        guard unit == "bytes" else { return unit.map { "\(count) \($0)" } ?? "\(count)" }
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        var value = Double(count)
        var index = 0
        while value >= 1_024, index < units.count - 1 {
            value /= 1_024
            index += 1
        }
        guard index > 0 else { return "\(count) B" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[index])"
    }
}
