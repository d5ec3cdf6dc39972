import JobKit
import JobStore
import Testing

@Suite struct `The waits of a suspended job` {
    private func wait(_ number: Int, _ reason: OperationWait.Reason, key: String? = nil)
        -> JobDetail.WaitingOperation
    {
        JobDetail.WaitingOperation(
            name: "\(number)", path: ["\(number)"], wait: OperationWait(reason: reason, key: key), since: nil)
    }

    @Test func `are kept as far as they are shown, and each kind at least once`() {
        let dates = (0..<40).map { wait($0, .delay) }
        let kept = Array(keptOf: dates + [wait(40, .signal, key: "go"), wait(41, .signal, key: "stop")])
        #expect(kept.map(\.name) == (0..<20).map(String.init) + ["40"])
        #expect(WaitKinds(kept).contains(.signal))
    }

    @Test func `are kept for each origin, of a hundred`() {
        let origins = (0..<300).map { wait($0, .origin, key: "https://h\($0 % 150).example") }
        let kept = Array(keptOf: origins)
        #expect(kept.compactMap(\.wait.key).count == 100)
        #expect(Set(kept.compactMap(\.wait.key)) == Set((0..<100).map { "https://h\($0).example" }))
    }
}
