import JobKit
import StrictJSON

extension JSONWriter {
    /// Writes a member with a timestamp.
    mutating func member(_ name: String, _ time: Timestamp) {
        self.name(name)
        value(time)
    }

    /// Writes a member with a job id.
    mutating func member(_ name: String, _ id: JobID) {
        self.name(name)
        plain { id.append(to: &$0) }
    }

    /// Writes a member with the name of a requester, where it is known.
    mutating func member(_ name: String, by requester: String?) {
        if let requester, !requester.isEmpty { member(name, requester) }
    }

    /// The bytes written, with a trailing line feed so that a terminal prompt starts on a new line.
    consuming func line() -> [UInt8] {
        var bytes = (consume self).bytes
        bytes.append(0x0A)
        return bytes
    }
}
