internal import StrictJSON

/// A position between two lines.
struct LinePosition: Sendable, Hashable {
    /// The bytes before it.
    var offset = 0
    /// The number of the next line, from 1.
    var line = 1

    init() {}

    /// The note of a part about the position behind it.
    var note: JSONValue {
        .object(
            JSONObject([
                ("offset", .number(JSONNumber(Int64(offset)))), ("line", .number(JSONNumber(Int64(line)))),
            ]))
    }

    /// Decodes a note; nil when it is none.
    init?(note: JSONValue?) {
        guard let object = note?.object, let offset = object["offset"]?.number?.int,
            let line = object["line"]?.number?.int
        else { return nil }
        (self.offset, self.line) = (offset, line)
    }
}

struct LinePart: Sendable {
    /// The position before the first.
    var start = LinePosition()
    var content: [UInt8] = []
    /// The end of each line in them, with its line feed.
    var ends: [Int] = []

    /// The position behind the last.
    var end: LinePosition {
        var end = start
        end.offset += ends.last ?? 0
        end.line += ends.count
        return end
    }
}
