package import JobKit
internal import StrictJSON

/// The subject of a stored journal entry, found in its first bytes: the operation and the kind of event.
package struct JournalGlance: Sendable, Hashable {
    package var place: OperationPlace
    /// The enclosing operation, and the number in it for a numbered operation; nil for others.
    package var copy: (around: OperationPlace, number: Int)? { number.map { (around, $0) } }
    /// Whether the operation ended.
    package var isEnd = false
    /// Whether it is the start or the end of an attempt.
    package var isAttempt = false
    /// Whether it is a retry of the job.
    package var isRetry = false
    /// Whether the operation took a message.
    package var isTaking = false
    /// Whether it is a message to the job, other than a member that is added.
    package var isMessage = false
    /// Whether it is a note that may be the list of elements of a map.
    package var isNote = false
    private var around: OperationPlace
    private var number: Int?

    /// Scans one line of a journal row.
    /// - Throws: `StoredFormError` when it is not an entry.
    package init(_ line: ArraySlice<UInt8>) throws(StoredFormError) {
        place = .root
        around = .root
        if let word = readPath(line) {
            note(word)
            isMessage =
                word.elementsEqual("message".utf8) && !line[word.endIndex...].starts(with: Self.member)
            return
        }
        let entry = try JournalEntry(decoding: Array(line))
        place = OperationPlace(entry.path)
        around = OperationPlace(entry.path.dropLast())
        number = entry.path.last.flatMap { Int($0) }
        switch entry.event {
        case .finished: isEnd = true
        case .attemptStarted, .attemptFinished: isAttempt = true
        case .retried: isRetry = true
        case .noted: isNote = true
        case .took: isTaking = true
        case .message(let message):
            if case .member = message.content { isMessage = false } else { isMessage = true }
        default: break
        }
    }

    /// The rest of an entry behind the word for a message, if that is a member.
    private static let member = Array(#"","message":{"kind":"member""#.utf8)

    private mutating func note(_ word: ArraySlice<UInt8>) {
        isEnd = word.elementsEqual("finished".utf8)
        isAttempt = word.elementsEqual("attempt_started".utf8) || word.elementsEqual("attempt_finished".utf8)
        isRetry = word.elementsEqual("retried".utf8)
        isTaking = word.elementsEqual("took".utf8)
        isNote = word.elementsEqual("noted".utf8)
    }

    /// Reads `{"at":…,"path":[…],"event":"…"` and returns the word; nil for other forms.
    private mutating func readPath(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var index = line.startIndex
        func skip(_ text: StaticString, _ index: inout Int) -> Bool {
            let bytes = text.description.utf8
            guard line[index...].starts(with: bytes) else { return false }
            index += bytes.count
            return true
        }
        guard skip("{\"at\":", &index) else { return nil }
        while index < line.endIndex, line[index] != 0x2C { index += 1 }
        guard skip(",\"path\":[", &index) else { return nil }
        while index < line.endIndex, line[index] == 0x22 {
            let start = index + 1
            index = start
            while index < line.endIndex, line[index] != 0x22 {
                if line[index] == 0x5C { return nil }
                index += 1
            }
            let name = line[start..<index]
            around = place
            place = place.inside(name)
            number = Self.number(name)
            index += 1
            if index < line.endIndex, line[index] == 0x2C { index += 1 }
        }
        guard skip("],\"event\":\"", &index) else { return nil }
        let word = line[index...].prefix { $0 != 0x22 }
        return word.endIndex < line.endIndex ? word : nil
    }

    private static func number(_ name: ArraySlice<UInt8>) -> Int? {
        guard !name.isEmpty, name.count < 10, name.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return name.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}

/// The path of an operation as a 64-bit hash. Collisions are ignored as practically impossible.
package struct OperationPlace: Sendable, Hashable {
    private var digest: UInt64

    package static let root = OperationPlace(digest: 0xCBF2_9CE4_8422_2325)

    private init(digest: UInt64) { self.digest = digest }

    /// The place of a path below the root.
    package init(_ path: some Sequence<String>) {
        self = path.reduce(.root) { $0.inside($1.utf8) }
    }

    /// The place of the inner operation with this name (FNV-1a over the names, separated by a byte that no name has).
    package func inside(_ name: some Sequence<UInt8>) -> OperationPlace {
        let prime: UInt64 = 0x0000_0100_0000_01B3
        return OperationPlace(digest: (name.reduce(digest) { ($0 ^ UInt64($1)) &* prime } ^ 0xFF) &* prime)
    }
}

extension JournalEntry {
    /// The length of the list of elements, when that is what was noted.
    package var mappedCount: Int? {
        guard case .noted(NoteName.items, .array(let items)) = event else { return nil }
        return items.count
    }
}
