import DurableJobs
import Testing

@Suite struct `The labels of a job` {
    @Test func `are told apart by their bytes, in keys and values`() {
        var labels: JobLabels = ["e\u{301}": "two", "\u{E9}": "one", "a": "x"]
        #expect(labels.count == 3 && !labels.isEmpty)
        #expect(labels["\u{E9}"] == "one" && labels["e\u{301}"] == "two" && labels["b"] == nil)
        #expect(labels.map(\.value) == ["x", "two", "one"])
        #expect(JobLabels() != labels && (["k": "\u{E9}"] as JobLabels) != ["k": "e\u{301}"])
        labels["a"] = nil
        #expect(labels == ["\u{E9}": "one", "e\u{301}": "two"])
    }
}
