@testable import JobSpec
import StrictJSON
import Testing

@Suite struct `The use of a template` {
    private let inner = TemplateDefinition(
        name: "inner", version: 3, parameters: [], operation: ["type": "value", "name": "one", "value": 1])

    private func read(_ text: String) -> Result<JobSpec, SpecProblems> {
        JobSpecReader.read(Array(text.utf8), now: specNow, templates: { [inner] _ in inner })
    }

    @Test(arguments: [#"{"template":"inner"}"#, #"{"type":"template","template":"inner@3"}"#])
    func `is named by the template, so that its type may be left out`(use: String) throws {
        let spec = try read(#"{"type":"group","operations":[{"type":"value","value":1},\#(use)]}"#).get()
        let member = try #require(spec.operation.members.last)
        #expect(member.kind.type == "template")
        #expect(member.name == "template_2")
        #expect(member.members.map(\.name) == ["one"])
        #expect(try read(use).get().operation.name == "template")
    }

    @Test(arguments: [
        (#"{"template":7}"#, "/template", "spec.wrong_type"),
        (#"{"type":"template"}"#, "", "spec.missing_member"),
        (#"{"type":"value","value":1,"template":"inner"}"#, "/template", "spec.unknown_member"),
        (#"{"template":"inner","value":1}"#, "/value", "spec.unknown_member"),
    ])
    func `is checked before the job runs`(use: String, pointer: String, code: String) {
        guard case .failure(let problems) = read(use) else {
            Issue.record("It is right: \(use)")
            return
        }
        #expect(problems.list.map(\.pointer.description) == [pointer])
        #expect(problems.list.map(\.code) == [code])
    }

    @Test func `can be a branch of a choice`() throws {
        let branch = #"{"when":{"$job":"id","exists":true},"operation":{"template":"inner"}}"#
        let spec = try read(#"{"type":"choose","of":[\#(branch)]}"#).get()
        #expect(spec.operation.members.map(\.name) == ["template_1"])
    }
}
