import HTTPMessage
import JobKit
import StrictJSON

/// The page of a list that a request asks for. All lists use it: `page_size` and `page_token` in the query, `items`
/// and, while there are more, `next_page_token` in the answer, with the URL of the next page as a `Link`.
struct PageRequest: Sendable {
    /// The page size when the request names none.
    static let sizeDefault: Int64 = 50
    /// The maximum page size; larger requests are clamped.
    static let sizeMax: Int64 = 500

    /// The maximum number of items on the page.
    let size: Int
    /// The position after which the page begins, as the list encoded it; nil for the first page.
    let place: [UInt8]?
    /// A digest of list, filters and order, to validate page tokens.
    let digest: UInt64
    private let list: String
    private let filters: [(name: String, value: String)]

    /// Takes `page_size` and `page_token` from the query and finishes it.
    /// - Parameters:
    ///   - path: the list.
    ///   - filters: filters and order as they are in the query.
    /// - Throws: `.invalidQuery` with everything that is wrong; `.invalidPageToken`.
    init(
        of path: String, filters: [(name: String, value: String)] = [], _ reader: inout QueryReader
    ) throws(Problem) {
        size = Int(reader.number("page_size", from: 1, to: PageRequest.sizeMax) ?? PageRequest.sizeDefault)
        let token = reader.text("page_token")
        try reader.finish()
        list = path
        self.filters = filters
        let sorted = filters.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
        digest = PageToken.digest(
            of: path + sorted.map { "\u{0}\($0.name)\u{0}\($0.value)" }.joined())
        guard let token else {
            place = nil
            return
        }
        guard let read = PageToken(token) else { throw PageRequest.damaged }
        guard read.filters == digest else {
            throw Problem(
                .invalidPageToken,
                "The page_token belongs to another list, other filters or another order. Send it with exactly the "
                    + "address and the filters of the page that gave it.")
        }
        place = read.place
    }

    /// The problem of a malformed token.
    static let damaged = Problem(
        .invalidPageToken, "The page_token is damaged. Take it unchanged from next_page_token.")

    /// The position as a number; 0 for the first page.
    func number() throws(Problem) -> Int64 {
        guard let place else { return 0 }
        guard place.count == 8, let number = Int64(exactly: PageToken.number(place)) else {
            throw PageRequest.damaged
        }
        return number
    }

    /// The position as an id; nil for the first page.
    func id<ID: PrefixedID>() throws(Problem) -> ID? {
        guard let place else { return nil }
        guard place.count == 16 else { throw PageRequest.damaged }
        return ID(
            bits: JobID(high: PageToken.number(place.prefix(8)), low: PageToken.number(place.suffix(8))))
    }

    /// The position as text; empty for the first page.
    func text() throws(Problem) -> String {
        guard let place else { return "" }
        guard let text = String(validating: place, as: UTF8.self) else { throw PageRequest.damaged }
        return text
    }

    /// The token of the page after a position of at most `PageToken.placeBytesMax` bytes.
    func token(behind place: [UInt8]) -> String { PageToken(place: place, filters: digest).text }

    /// The token of the page after a position.
    func token(behind number: Int64) -> String { token(behind: PageToken.bytes(UInt64(clamping: number))) }

    /// The token of the page after a thing.
    func token(behind id: some PrefixedID) -> String {
        token(behind: PageToken.bytes(id.bits.high) + PageToken.bytes(id.bits.low))
    }

    /// Adds the `Link` to the next page.
    /// - Parameter base: the prefix of links.
    func addLink(to fields: inout HTTPFields, token: String, base: String) {
        fields.add("Link", "<\(base)\(nextURL(token: token))>; rel=\"next\"")
    }

    /// The URL of the next page.
    func nextURL(token: String) -> String {
        let all = filters + [("page_size", String(size)), ("page_token", token)]
        return list + "?"
            + all.map { PageRequest.encoded($0.name) + "=" + PageRequest.encoded($0.value) }.joined(
                separator: "&")
    }

    private static func encoded(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: result.append(byte)
            default: result += Array("%\(HexText.encode([byte]).uppercased())".utf8)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
