import JobKit
import JobServer
import JobSpec
import StrictJSON

/// The Adler-32 checksum of a text (RFC 1950).
struct Checksum: AOperation {
    let text: String

    func execute(in context: OperationContext) async throws -> JSONValue {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in text.utf8 {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return ["adler32": .number(JSONNumber(Int64(high << 16 | low)))]
    }
}

let checksum = OperationKind("checksum", members: [.required("text", .string)]) { members in
    Checksum(text: members["text"]?.string ?? "")
}

await JobServer.run(kinds: [checksum])
