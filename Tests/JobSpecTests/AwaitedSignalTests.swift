import StrictJSON
import Testing

@testable import JobKit
@testable import JobSpec

@Suite struct `The signals that a job awaits` {
    private static let paid = #"{"type":"await","signal":"paid"}"#

    @Test(arguments: [
        paid, #"{"type":"group","operations":[{"type":"value","value":1},\#(paid)]}"#,
        #"{"type":"group","operations":[{"type":"value","value":1}],"finally":[\#(paid)]}"#,
        #"{"type":"group","map":{"items":[1],"operation":\#(paid)}}"#,
        #"{"type":"repeat","max_runs":2,"operation":\#(paid)}"#,
        #"{"type":"repeat","max_runs":2,"operation":{"type":"group","operations":[\#(paid)]}}"#,
    ])
    func `are those of all its operations`(text: String) throws {
        let signals = AwaitedSignals(try readSpec(text))
        #expect(signals.names == ["paid"])
        #expect(signals.warning(about: "paid") == nil)
        let warning = try #require(signals.warning(about: "piad"))
        #expect(warning.code == "warning.signal_not_awaited")
        #expect(warning.detail.contains("awaits the signal piad; it awaits paid. Did you mean paid?"))
    }

    @Test func `are each named once, and many not at all`() throws {
        #expect(
            AwaitedSignals(try readSpec(#"{"type":"value","value":1}"#)).warning(about: "go")?.detail
                .contains("it awaits none.") == true)
        let waits = (0..<12).map { #"{"type":"await","name":"w\#($0)","signal":"zzzzzz\#($0 % 11)"}"# }
        let signals = AwaitedSignals(
            try readSpec(#"{"type":"group","operations":[\#(waits.joined(separator: ","))]}"#))
        #expect(signals.names.count == 11)
        let detail = try #require(signals.warning(about: "go")?.detail)
        #expect(detail.contains("it awaits zzzzzz0, zzzzzz1,"))
        #expect(detail.contains(", zzzzzz9 and 1 more."))
        #expect(!detail.contains("Did you mean"))
    }

    @Test func `are unknown with an operation of a kind that is not built in`() throws {
        let kind = OperationKind("custom", members: []) { _ in ClosureOperation { _ in .null } }
        let text = #"{"type":"group","operations":[{"type":"custom"},\#(Self.paid)]}"#
        let kinds = try OperationKinds([kind])
        let spec = try JobSpecReader.read(Array(text.utf8), now: specNow, kinds: kinds).get()
        #expect(AwaitedSignals(spec).warning(about: "go") == nil)
    }
}
