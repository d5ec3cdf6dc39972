import JobSpec
import Testing

@Suite struct `A stored spec` {
    @Test(arguments: [
        (#"{"type":"value","value":1,"$scheduled_for":"2026-01-01T00:00:00Z"}"#, true),
        (#"{"$hook":{"body":1},"type":"value"}"#, true),
        (#"{"type":"value","value":"$hook"}"#, true),
        (#"{"type":"value","value":"of $hook"}"#, false),
        (#"{"type":"value","value":{"$get":"a"}}"#, false),
        (#"{"type":"value","value":"$"}"#, false),
        (#"$hook"#, false),
    ])
    func `tells whether it may have members that were not submitted`(_ text: String, _ may: Bool) {
        #expect(StoredSpec.mayHaveMembers(Array(text.utf8)) == may)
    }
}
