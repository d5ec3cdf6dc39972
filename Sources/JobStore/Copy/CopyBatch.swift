/// Items that are read and written at once, bounded by their number and their bytes.
package struct CopyBatch<Item> {
    package private(set) var items: [Item] = []
    private var bytes = 0

    package init() {}

    package var isFull: Bool { items.count >= 500 || bytes >= 4 << 20 }

    private mutating func add(_ item: Item, bytes count: Int) {
        items.append(item)
        bytes += count
    }
}

extension CopyBatch<CopiedJob> {
    package mutating func add(_ job: CopiedJob) { add(job, bytes: job.byteCount) }
}

extension CopyBatch<[StoredValue]> {
    package mutating func add(_ row: [StoredValue]) { add(row, bytes: row.reduce(0) { $0 + $1.byteCount }) }
}
