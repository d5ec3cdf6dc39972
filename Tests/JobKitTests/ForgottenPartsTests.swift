import JobKit
import StrictJSON
import Testing

@Suite struct `Forgotten parts of a map over lines` {
    private let noon = Timestamp(milliseconds: 1_800_000_000_000)

    private func entry(_ path: String, _ event: JournalEntry.Event) -> JournalEntry {
        JournalEntry(at: noon, path: path.split(separator: "/").map(String.init), event: event)
    }

    private func failure(_ path: String) -> JournalEntry {
        let error = AOperationError(.httpStatus, detail: "404")
        return entry(path, .finished(OperationEnding(state: .failed, errors: [error])))
    }

    private func success(_ path: String) -> JournalEntry {
        entry(path, .finished(OperationEnding(state: .succeeded)))
    }

    /// The numbers of the entries that stay.
    private func kept(_ entries: [JournalEntry], of count: Int) -> [Int] {
        var parts = ForgottenParts(of: ["each"])
        parts.count = count
        var gone: Set<Int64> = []
        for (number, entry) in zip(Int64(1)..., entries) {
            gone.formUnion(parts.take(entry, number: number))
        }
        #expect(parts.last == Int64(entries.count))
        return (1...entries.count).filter { !gone.contains(Int64($0)) }
    }

    @Test func `leave their own entries, errors of members, and all that is elsewhere`() {
        let entries = [
            entry("each", .started), entry("each/1", .noted(name: NoteName.rest, value: .null)),
            entry("each/1", .noted(name: NoteName.items, value: .array([]))),
            entry("each/1/1", .started), success("each/1/1"), entry("each/1/2", .started),
            failure("each/1/2"),
            entry("each/1/2/inner", .took(message: 1)), failure("each/1/3/inner"),
            success("each/1"), entry("each/2/1", .started), entry("other/1/1", .started),
        ]
        #expect(kept(entries, of: 1) == [1, 2, 7, 8, 10, 11, 12])
    }

    @Test func `leave the first thousand errors`() {
        let entries = (1...1_200).map { failure("each/1/\($0)") }
        #expect(kept(entries, of: 1) == Array(1...1_000))
    }

    @Test func `leave no error of what was tried again`() {
        let entries = [
            failure("each/1/1"), success("each/1"), failure("each/2/1"), entry("", .retried(by: "ada")),
            success("each/2/1"), success("each/2"),
        ]
        #expect(kept(entries, of: 2) == [1, 2, 4, 6])
    }
}
