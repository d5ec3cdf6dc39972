import JobKit
import StrictJSON

extension JSONWriter {
    /// A member that holds a moment.
    mutating func member(_ name: String, _ time: Timestamp) {
        self.name(name)
        value(time)
    }

    /// A member that holds a job's id.
    mutating func member(_ name: String, _ id: JobID) {
        self.name(name)
        plain { id.append(to: &$0) }
    }

    /// What was written, with a line feed at the end so that a terminal stays tidy.
    consuming func line() -> [UInt8] {
        var bytes = (consume self).bytes
        bytes.append(0x0A)
        return bytes
    }
}
