internal import JobKit
internal import StrictJSON

extension JobDetail {
    /// The facts of the submission, which every later detail has, too. Kept until the job is erased.
    package struct Submission: Sendable, Hashable {
        /// The span of the submission, as `traceparent` with `tracestate`.
        package var trace: String?
        /// The name of the submitter; nil where that is not known.
        package var createdBy: String?

        /// Facts of a submission.
        package init(trace: String? = nil, createdBy: String? = nil) {
            self.trace = trace
            self.createdBy = createdBy
        }

        /// Whether there are none.
        var isEmpty: Bool { trace == nil && createdBy == nil }

        var byteCount: Int { (trace?.utf8.count ?? 0) + (createdBy?.utf8.count ?? 0) }

        func write(to writer: inout JSONWriter) {
            writer.member("trace", ifKnown: trace)
            writer.member("created_by", ifKnown: createdBy)
        }

        /// Takes a member of a stored detail, if it is one of these.
        mutating func read(_ name: String, _ value: JSONValue) {
            switch name {
            case "trace": trace = value.string
            case "created_by": createdBy = value.string
            default: break
            }
        }

        /// The facts in a stored detail that has nothing else; nil when it has, or must be decoded.
        init?(alone bytes: [UInt8]) {
            var members = PlainMembers(bytes)
            trace = members.take(#""trace":""#)
            createdBy = members.take(#""created_by":""#)
            if isEmpty || !members.isAtEnd { return nil }
        }
    }

    /// The members of a compact object of plain texts, taken in their order.
    private struct PlainMembers {
        private var rest: ArraySlice<UInt8>
        private var separator = UInt8(ascii: "{")

        init(_ bytes: [UInt8]) { rest = bytes[...] }

        /// Takes the text that follows `head`, if that comes next.
        mutating func take(_ head: StaticString) -> String? {
            let head = head.description.utf8
            guard rest.first == separator, rest.dropFirst().starts(with: head) else { return nil }
            let text = rest.dropFirst(1 + head.count).prefix {
                $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
            guard rest[text.endIndex...].first == UInt8(ascii: "\"") else { return nil }
            rest = rest[(text.endIndex + 1)...]
            separator = UInt8(ascii: ",")
            return String(decoding: text, as: UTF8.self)
        }

        var isAtEnd: Bool { rest.elementsEqual(CollectionOfOne(UInt8(ascii: "}"))) }
    }
}
