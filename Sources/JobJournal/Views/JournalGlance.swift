package import JobKit
internal import StrictJSON

/// What a stored journal entry is about, found in its first bytes: of whom it speaks and what it says happened.
package struct JournalGlance: Sendable, Hashable {
    /// The operation.
    package var place: OperationPlace
    /// The operation around it, and its number in there when its name is one; nil for others.
    package var copy: (around: OperationPlace, number: Int)? { number.map { (around, $0) } }
    /// Whether it ended.
    package var isEnd = false
    /// Whether it is the begin or the end of an attempt.
    package var isAttempt = false
    /// Whether a person asked for another try of the job.
    package var isRetry = false
    /// Whether it took a message.
    package var isTaking = false
    /// Whether it notes something that may be the list which the operation maps.
    package var isNote = false
    private var around: OperationPlace
    private var number: Int?

    /// Looks at one line of a row of the journal.
    /// - Throws: `StoredFormError` when it is no entry.
    package init(_ line: ArraySlice<UInt8>) throws(StoredFormError) {
        place = .root
        around = .root
        if let word = readPath(line) {
            note(word)
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
        default: break
        }
    }

    private mutating func note(_ word: ArraySlice<UInt8>) {
        isEnd = word.elementsEqual("finished".utf8)
        isAttempt = word.elementsEqual("attempt_started".utf8) || word.elementsEqual("attempt_finished".utf8)
        isRetry = word.elementsEqual("retried".utf8)
        isTaking = word.elementsEqual("took".utf8)
        isNote = word.elementsEqual("noted".utf8)
    }

    /// Reads `{"at":…,"path":[…],"event":"…"` and answers the word; nil for what is written in another way.
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

/// The path of an operation as one number: the same for the same path, and for others only by a chance that does not
/// happen.
package struct OperationPlace: Sendable, Hashable {
    private var digest: UInt64

    /// The job's own operation.
    package static let root = OperationPlace(digest: 0xCBF2_9CE4_8422_2325)

    private init(digest: UInt64) { self.digest = digest }

    /// The place of a path below the root.
    package init(_ path: some Sequence<String>) {
        self = path.reduce(.root) { $0.inside($1.utf8) }
    }

    /// What stands inside of it with this name (FNV-1a over the names, with a byte between that no name has).
    package func inside(_ name: some Sequence<UInt8>) -> OperationPlace {
        let prime: UInt64 = 0x0000_0100_0000_01B3
        return OperationPlace(digest: (name.reduce(digest) { ($0 ^ UInt64($1)) &* prime } ^ 0xFF) &* prime)
    }
}

extension JournalEntry {
    /// How long the list is that an operation maps, when that is what was noted.
    package var mappedCount: Int? {
        guard case .noted(NoteName.items, .array(let items)) = event else { return nil }
        return items.count
    }
}
