extension OperationSpec.Kind {
    /// What a line of the plan says about the operation besides its type.
    var planWords: [String] {
        switch self {
        case .network(let call): [call.method, call.url]
        case .download(let download):
            [download.call.method, download.call.url]
                + (download.call.target.name.map { ["to", $0] } ?? [])
        case .delay(.for(let duration)): [DurationText.iso8601(duration)]
        case .delay(.until(let date)): ["until \(date)"]
        case .delay(.sinceSubmission(let duration)): ["\(DurationText.iso8601(duration)) from submission"]
        case .poll(let poll): [poll.call.method, poll.call.url] + poll.planWords
        case .notify(let notification): [notification.request.method, notification.request.url]
        case .group(let group): [group.planWords]
        case .await(let wait): ["signal \(wait.signal)"]
        case .map(let map): map.planWords
        case .wrapper(let wrapper): ["\(wrapper.template)@\(wrapper.version)"]
        case .repeat(let rule): rule.planWords
        case .value, .gate, .custom: []
        }
    }
}

extension GroupSpec {
    fileprivate var planWords: String {
        var words = each == nil ? "of \(operations.count)" : "for each element"
        if ordered { words += " in order" }
        if !finals.isEmpty { words += ", \(finals.count) finally" }
        return words
    }
}

extension PollSpec {
    fileprivate var planWords: [String] {
        guard case .fixed(let duration) = wait else { return ["at most \(pollsMax) times"] }
        return ["every \(DurationText.iso8601(duration))", "at most \(pollsMax) times"]
    }
}

extension MapSpec {
    fileprivate var planWords: [String] {
        var words: [String] = []
        if filter != nil { words.append("where") }
        if each != nil { words.append("each") }
        if flattens { words.append("flatten") }
        if let reduction { words.append(reduction.word) }
        return words.isEmpty ? [] : [words.joined(separator: " → ")]
    }
}

extension RepeatSpec {
    fileprivate var planWords: [String] {
        var words = [until == nil ? "\(times) times" : "until it holds, at most \(times) times"]
        if case .fixed(let duration) = wait { words.append("every \(DurationText.iso8601(duration))") }
        return words
    }
}
