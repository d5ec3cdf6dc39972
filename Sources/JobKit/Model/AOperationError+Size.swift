internal import StrictJSON

// DESIGN
// An upstream, a user or a program decides how much an error says. What is kept of one, and of all errors of an
// operation together, has a bound where it is stored and where it is shown; an error that says less than it did counts
// what it leaves out (`bytesOmitted`). Groups pass errors on, so the whole error stays with the operation in which it
// arose.

/// The size of errors.
extension AOperationError {
    /// The most that the errors of an operation or a job take together, in bytes of JSON.
    package static let allBytesMax = 256 << 10
    /// The most that the error of one attempt takes, in bytes of JSON.
    package static let attemptBytesMax = 64 << 10
    /// The most that is left of a detail in a short form, in bytes.
    private static let shortDetailBytesMax = 1_024
    private static let shortTitleBytesMax = 256
    /// The names of all members, with what never takes many bytes.
    private static let frameBytes = 430

    /// The size as JSON, in bytes; never less than it takes.
    package var byteCount: Int {
        var count = Self.frameBytes + title.jsonByteCount + detail.jsonByteCount
        count += code.description.utf8.count + (publisher?.jsonByteCount ?? 0)
        // Once in "path" and once in "operation".
        for name in path { count += 2 * name.jsonByteCount }
        if let publishedError { count += publishedError.byteCount }
        if let upstream { count += upstream.byteCount }
        if let timing { count += timing.members.count * 48 }
        return causes.reduce(count) { $0 + $1.byteCount }
    }

    /// The form for a list: code, texts and path, without the upstream's answer, the underlying error and the causes.
    package var short: AOperationError {
        if isShort { return self }
        var short = self
        short.title = title.beginning(Self.shortTitleBytesMax)
        short.detail = detail.beginning(Self.shortDetailBytesMax)
        short.publishedError = nil
        short.timing = nil
        short.causes = []
        short.upstream = upstream?.withoutContent
        let hasCutText =
            short.detail.utf8.count != detail.utf8.count || short.title.utf8.count != title.utf8.count
        if hasCutText || upstream != nil || publishedError != nil || timing != nil || !causes.isEmpty {
            short.bytesOmitted += max(1, byteCount - short.byteCount)
        }
        return short
    }

    /// Whether it was shortened already.
    private var isShort: Bool {
        bytesOmitted > 0 && publishedError == nil && timing == nil && causes.isEmpty
            && upstream?.headers.isEmpty != false && upstream?.bodyExcerpt == nil
            && detail.utf8.count <= Self.shortDetailBytesMax + 64
            && title.utf8.count <= Self.shortTitleBytesMax + 64
    }

    /// As much of the error as fits: whole, with its causes in short, or in short.
    fileprivate func fitting(_ bytesMax: Int) -> AOperationError {
        if byteCount <= bytesMax { return self }
        guard !causes.isEmpty else { return short }
        var less = self
        less.causes = causes.map(\.short)
        return less.byteCount <= bytesMax ? less : short
    }

    /// The error as it is kept with an attempt.
    package var ofAttempt: AOperationError { fitting(Self.attemptBytesMax) }
}

extension AOperationError.PublishedError {
    fileprivate var byteCount: Int {
        [description, failureReason ?? "", recoverySuggestion ?? "", domain].reduce(96) {
            $0 + $1.jsonByteCount
        }
            + (info.members.isEmpty ? 0 : JSONValue.object(info).encoded().count)
    }
}

extension AOperationError.Upstream {
    fileprivate var byteCount: Int {
        headers.members.reduce(128 + (bodyExcerpt?.jsonByteCount ?? 0)) { count, member in
            let value = member.value.string?.jsonByteCount ?? member.value.encoded().count
            return count + member.name.jsonByteCount + value
        }
    }

    /// Its status alone.
    fileprivate var withoutContent: Self {
        var rest = self
        rest.headers = JSONObject()
        rest.bodyExcerpt = nil
        for member in headers.members {
            rest.headersOmitted += 1
            rest.headerBytesOmitted += member.name.utf8.count + (member.value.string?.utf8.count ?? 0)
        }
        return rest
    }
}

extension String {
    /// The size as a JSON string with what separates it from the next one, in bytes; never less than it takes.
    var jsonByteCount: Int {
        let bytes = utf8.span
        var count = bytes.count + 4
        for index in bytes.indices {
            let byte = bytes[index]
            count += byte < 0x20 || byte == 0x7F ? 5 : byte == 0x22 || byte == 0x5C ? 1 : 0
        }
        return count
    }

    /// The text, or as many whole characters of its beginning as fit, and the number of the other bytes.
    package func beginning(_ bytesMax: Int) -> String {
        guard utf8.count > bytesMax else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: bytesMax)
        while end > utf8.startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        let kept = self[..<end]
        return "\(kept)… (\(utf8.count - kept.utf8.count) more bytes)"
    }
}

extension [AOperationError] {
    /// As much of these errors as fits: all of them in short at least, and the first ones whole. When not even that
    /// fits, one behind them counts those that are missing.
    package func fitting(_ bytesMax: Int = AOperationError.allBytesMax) -> [AOperationError] {
        if isEmpty { return self }
        guard reduce(0, { $0 + $1.byteCount }) > bytesMax else { return self }
        var kept: [AOperationError] = []
        var left = bytesMax
        for error in self {
            let short = error.short
            guard kept.isEmpty || short.byteCount <= left else { break }
            kept.append(short)
            left -= short.byteCount
        }
        for index in kept.indices {
            let shortCount = kept[index].byteCount
            let most = self[index].fitting(left + shortCount)
            kept[index] = most
            left -= most.byteCount - shortCount
        }
        guard kept.count < count else { return kept }
        let detail = "\(count - kept.count) further errors are left out: they are too long."
        return kept + [AOperationError(.groupErrorsOmitted, detail: detail)]
    }
}
