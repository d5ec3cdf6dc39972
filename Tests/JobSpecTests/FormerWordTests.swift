@testable import JobSpec
import StrictJSON
import Testing

/// Words that specs had before, and that people may still know: each leads to the one that says the same.
@Suite struct `A word that specs do not have any more` {
    @Test(arguments: [
        (#"{"type":"map","input":[1]}"#, "/type", "transform"),
        (#"{"type":"wrapper","template":"resize"}"#, "/type", "template"),
        (
            #"{"type":"gate","when":{"$job":"id","exists":true},"operation":{"type":"value","value":1}}"#,
            "/type", #"write "when" into the operation itself"#
        ),
        (
            #"{"type":"delay","for":"1s","input":1}"#, "/input",
            #"{"type": "value", "value": {"$get": "list"}, "after": ["pause"]}"#
        ),
    ])
    func `for an operation is answered with ours`(spec: String, pointer: String, suggestion: String) throws {
        try expect(spec, pointer, suggestion)
    }

    @Test(arguments: [
        (#"{"operation":"a","on":"finished"}"#, "/on", "states"),
        (#"{"operation":"a","states":"finished"}"#, "/states", #""any""#),
        (#"{"operation":"a","states":["finished"]}"#, "/states", #""any""#),
        (#"{"operation":"a","states":["any"]}"#, "/states", #""any""#),
        (#"{"operation":"a","states":"failed"}"#, "/states", #"["failed"]"#),
    ])
    func `for the end of another operation is answered with ours`(
        edge: String, pointer: String, suggestion: String
    ) throws {
        let spec =
            #"{"type":"group","operations":[{"type":"value","name":"a","value":1},{"type":"value","value":1,"after":[\#(edge)]}]}"#
        try expect(spec, "/operations/1/after/0\(pointer)", suggestion)
    }

    @Test(arguments: [
        (#""fail_fast":true"#, "/fail_fast", "stop_when"),
        (#""succeed_when":"any","cancel_rest":true"#, "/cancel_rest", "stop_when"),
        (#""succeed_when":{"tolerate":{"count":1}}"#, "/succeed_when/tolerate", "max_failures"),
        (#""succeed_when":{"count":1}"#, "/succeed_when/count", "max_failures"),
        (#""succeed_when":{"percent":1}"#, "/succeed_when/percent", "max_failed_percent"),
        (#""succeed_when":"any","stop_when":"first_failure""#, "/stop_when", #""decided""#),
    ])
    func `for a group is answered with ours`(rules: String, pointer: String, suggestion: String) throws {
        try expect(
            #"{"type":"group",\#(rules),"operations":[{"type":"value","value":1}]}"#, pointer, suggestion)
    }

    @Test func `for a repetition is answered with ours`() throws {
        try expect(
            #"{"type":"repeat","max_runs":2,"stop_on_failure":true,"operation":{"type":"value","value":1}}"#,
            "/stop_on_failure", "stop_when")
    }

    @Test(arguments: [
        (
            #"{"type":"negated","condition":{"type":"approval","prompt":"Pay?"}}"#, "/type",
            #"{"not": {"type": "reachability", "url": "https://example.com/"}}"#
        ),
        (
            #"{"type":"all","conditions":[]}"#, "/type",
            #"{"all": [{"type": "approval", "prompt": "Pay?"}]}"#
        ),
        (
            #"{"type":"any","conditions":[]}"#, "/type",
            #"{"any": [{"type": "approval", "prompt": "Pay?"}]}"#
        ),
        (#"{"type":"ignored"}"#, "/type", #"write "otherwise": "skip" into the condition itself"#),
        (#"{"type":"silent"}"#, "/type", #"write "check_only": true into the condition itself"#),
        (
            #"{"type":"expression","that":{"$job":"id","exists":true}}"#, "/type",
            #"{"when": {"$get": "a", "at": "/body/ready", "equals": true}}"#
        ),
        (
            #"{"type":"no_failed_dependencies"}"#, "/type",
            #"leave it out: "after" and references require success"#
        ),
        (
            #"{"type":"no_cancelled_dependencies"}"#, "/type",
            #""after": [{"operation": "a", "states": ["succeeded", "failed", "skipped"]}]"#
        ),
        (#"{"type":"time_window","tz":"UTC","on_closed":"skip"}"#, "/on_closed", "otherwise"),
        (#"{"type":"reachability","url":"https://a.example/","wait":true}"#, "/wait", "otherwise"),
        (
            #"{"when":{"$job":"id","exists":true},"on_unsatisfied":"fail"}"#, "/on_unsatisfied", "otherwise"
        ),
        (#"{"type":"approval","prompt":"Pay?","silent":true}"#, "/silent", "check_only"),
        (
            #"{"type":"reachability","url":"https://a.example/","every":"5s"}"#, "/every",
            #""otherwise": "wait""#
        ),
    ])
    func `for a condition is answered with ours`(condition: String, pointer: String, suggestion: String)
        throws
    {
        try expect(
            #"{"type":"value","value":1,"conditions":[\#(condition)]}"#, "/conditions/0\(pointer)", suggestion
        )
    }

    private func expect(_ spec: String, _ pointer: String, _ suggestion: String) throws {
        let found = problems(spec)
        let problem = try #require(found.first { $0.pointer.description == pointer }, "\(found)")
        #expect(problem.suggestion == suggestion, "\(spec)")
    }
}
