import HTTPMessage
import JobKit
import JobStore
import StrictJSON

// DESIGN
// A page has a bound on items, which the client chooses, and one on bytes: users and upstreams decide how large an item
// is. It ends early when it has that many bytes, and its token continues behind the last item that is on it. Items are
// read in parts while the page is written, so that no more of them are in memory than a part has.

/// A page that is being written.
struct PageDraft {
    /// The size at which a page ends, although more items were asked for: 4 MiB. It may exceed it by one item.
    static let bytesMax = 4 << 20

    private let size: Int
    private(set) var count = 0
    private(set) var json: JSONWriter

    /// - Parameters:
    ///   - size: the maximum number of items.
    ///   - capacity: the expected size in bytes.
    init(size: Int, capacity: Int) {
        self.size = size
        json = JSONWriter(capacity: min(capacity, Self.bytesMax))
        json.beginObject()
        json.name("items")
        json.beginArray()
    }

    /// Whether there is no room for another item. The first one always has room.
    var isFull: Bool { count >= size || json.bytes.count >= Self.bytesMax }

    mutating func add(_ write: (inout JSONWriter) throws(Problem) -> Void) throws(Problem) {
        try write(&json)
        count += 1
    }

    /// Ends the page; returns all of it.
    /// - Parameters:
    ///   - next: the token of the next page; nil on the last one.
    ///   - extras: writes further members.
    mutating func finish(next: String?, _ extras: (inout JSONWriter) -> Void) -> [UInt8] {
        // Taken out, so that the last bytes are appended without a copy.
        var whole = JSONWriter(capacity: 0)
        swap(&whole, &json)
        whole.endArray()
        extras(&whole)
        if let next { whole.member("next_page_token", next) }
        whole.endObject()
        return whole.line()
    }
}

extension PageRequest {
    /// The most items that are read at once.
    static let partMax = 64

    /// Sends the page of items that are in memory.
    /// - Parameters:
    ///   - fields: further fields.
    ///   - items: those behind the place where the page begins.
    ///   - itemBytes: the usual size of an item.
    ///   - token: the token of the page behind an item.
    ///   - extras: writes further members of the page.
    ///   - write: writes an item.
    func answer<Item>(
        _ context: RequestContext, _ fields: HTTPFields = HTTPFields(), of items: some Collection<Item>,
        itemBytes: Int, token: (Item) -> String, extras: (inout JSONWriter) -> Void = { _ in },
        write: (Item, inout JSONWriter) throws(Problem) -> Void
    ) throws(Problem) {
        var draft = PageDraft(size: size, capacity: itemBytes * (min(items.count, size) + 1))
        var (last, next) = (Item?.none, String?.none)
        for item in items {
            if draft.isFull {
                next = last.map(token)
                break
            }
            try draft.add { json throws(Problem) in try write(item, &json) }
            last = item
        }
        answer(context, fields, &draft, next: next, extras)
    }

    /// Sends a page of items that are read part by part.
    /// - Parameters:
    ///   - fields: further fields.
    ///   - itemBytes: the usual size of an item.
    ///   - partMax: the most items that are read at once.
    ///   - read: the next items, at most `limit`; without `last`, from where the page begins.
    ///   - token: the token of the page behind an item.
    ///   - write: writes an item.
    func answer<Item>(
        _ context: RequestContext, _ fields: HTTPFields = HTTPFields(), itemBytes: Int,
        partMax: Int = PageRequest.partMax,
        read: (_ last: Item?, _ limit: Int) throws(JobStoreError) -> [Item], token: (Item) -> String,
        write: (Item, inout JSONWriter) throws(Problem) -> Void
    ) throws(Problem) {
        var draft = PageDraft(size: size, capacity: itemBytes * (min(partMax, size) + 1))
        let next = try fill(&draft, partMax: partMax, read: read, token: token, write: write)
        answer(context, fields, &draft, next: next)
    }

    /// Sends a page of things by their ids, the newest first, which a thread for readers reads.
    /// - Parameters:
    ///   - id: the id of an item.
    ///   - read: the next items before one, at most `limit`.
    ///   - write: writes an item.
    func answerNewest<Item, ID: PrefixedID>(
        _ context: RequestContext, itemBytes: Int, id: @escaping @Sendable (Item) -> ID,
        read:
            @escaping @Sendable (any JobReader, _ before: ID?, _ limit: Int) throws(JobStoreError) -> [Item],
        write: @escaping @Sendable (Item, inout JSONWriter) -> Void
    ) throws(Problem) {
        let first: ID? = try self.id()
        try context.onReaderThread { reader throws(Problem) in
            try answer(
                context, itemBytes: itemBytes,
                read: { (last: Item?, limit: Int) throws(JobStoreError) in
                    try read(reader, last.map(id) ?? first, limit)
                }, token: { token(behind: id($0)) }, write: write)
        }
    }

    /// Writes items until the page is full; returns the token of the next page, nil when there is none.
    func fill<Item>(
        _ draft: inout PageDraft, partMax: Int = PageRequest.partMax,
        read: (_ last: Item?, _ limit: Int) throws(JobStoreError) -> [Item], token: (Item) -> String,
        write: (Item, inout JSONWriter) throws(Problem) -> Void
    ) throws(Problem) -> String? {
        var last: Item?
        while true {
            // One more than fits shows that there are more.
            let limit = max(1, min(size - draft.count + 1, partMax))
            let part = try stored(read(last, limit))
            for item in part {
                if draft.isFull { return last.map(token) }
                try draft.add { json throws(Problem) in try write(item, &json) }
                last = item
            }
            if part.count < limit { return nil }
        }
    }

    func answer(
        _ context: RequestContext, _ fields: HTTPFields, _ draft: inout PageDraft, next: String?,
        _ extras: (inout JSONWriter) -> Void = { _ in }
    ) {
        var fields = fields
        if let next { addLink(to: &fields, token: next, base: context.base) }
        context.answer(.ok, fields, json: draft.finish(next: next, extras))
    }

    /// Sends the page of a list that is in memory, ordered by name.
    func answer<Entry>(
        _ context: RequestContext, named all: [Entry], itemBytes: Int, name: (Entry) -> String,
        write: (Entry, inout JSONWriter) -> Void
    ) throws(Problem) {
        let after = try text()
        let behind = all.drop { place != nil && !(after.utf8.lexicographicallyPrecedes(name($0).utf8)) }
        try answer(
            context, of: behind, itemBytes: itemBytes, token: { token(behind: Array(name($0).utf8)) },
            write: write)
    }
}
