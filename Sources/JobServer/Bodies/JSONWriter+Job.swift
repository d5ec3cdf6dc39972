import JobKit
import StrictJSON

extension JSONWriter {
    /// A moment as RFC 3339 writes it, in UTC with milliseconds: `"2026-11-21T10:00:04.120Z"`.
    mutating func value(_ time: Timestamp) {
        var text: [UInt8] = []
        text.reserveCapacity(26)
        text.append(0x22)
        time.append(to: &text)
        text.append(0x22)
        raw(text)
    }

    /// A member that holds a moment.
    mutating func member(_ name: String, _ time: Timestamp) {
        self.name(name)
        value(time)
    }

    /// A member that holds a job's id.
    mutating func member(_ name: String, _ id: JobID) {
        self.name(name)
        raw([0x22] + id.utf8 + [0x22])
    }

    /// What was written, with a line feed at the end so that a terminal stays tidy.
    consuming func line() -> [UInt8] {
        var bytes = (consume self).bytes
        bytes.append(0x0A)
        return bytes
    }
}
