internal import JobKit
internal import OpenSSLCrypto

/// Rows that go to the server in one request.
struct RowBatch {
    /// The most rows in a batch, which is that of the server.
    static let rowsMax = 1_000
    /// The bytes of specs after which a batch is full. The server takes 16 MiB.
    static let bytesMax = 4 << 20

    /// Its place in the input, from 1.
    let number: Int
    private(set) var rows: [InputRow] = []
    private var bytes = 0

    init(number: Int) { self.number = number }

    /// Whether the batch has room for a row; the first always fits.
    func fits(_ row: InputRow) -> Bool {
        rows.isEmpty || (rows.count < Self.rowsMax && bytes + Self.size(row) <= Self.bytesMax)
    }

    mutating func add(_ row: InputRow) {
        rows.append(row)
        bytes += Self.size(row)
    }

    private static func size(_ row: InputRow) -> Int {
        switch row.content {
        case .job(let spec): spec.count + 1
        case .refused(let reason): reason.utf8.count
        }
    }

    /// The specs as a JSON array; nil when all rows are refused.
    var body: [UInt8]? {
        var body: [UInt8] = []
        body.reserveCapacity(bytes + 2)
        for row in rows {
            guard case .job(let spec) = row.content else { continue }
            body.append(body.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
            body += spec
        }
        guard !body.isEmpty else { return nil }
        body.append(UInt8(ascii: "]"))
        return body
    }

    /// The idempotency key of the request.
    ///
    /// With a key of the user it is the batch's place, so that other content under the same key is refused. Without
    /// one it is that of the place and the content: the same file finds the jobs of its first submission.
    func key(_ given: String?, body: [UInt8]) -> String {
        if let given { return "\(given)/\(number)" }
        let digest = SHA256.digest(of: [Array("\(number) ".utf8), body])
        return "cli-" + HexText.encode(Array(digest.prefix(16)))
    }
}
