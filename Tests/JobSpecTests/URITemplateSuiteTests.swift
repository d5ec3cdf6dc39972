import Foundation
import HTTPMessage
@testable import JobKit
@testable import JobSpec
import StrictJSON
import Testing

/// The tests of RFC 6570's authors (`Tests/Suites/uritemplate-test`), as templates and as the URLs of calls.
@Suite struct `The tests of RFC 6570` {
    private struct Case {
        let template: String
        let variables: JSONObject
        /// The expansions that are right; none when the template is wrong.
        let expansions: [String]
    }

    private static let files = [
        "spec-examples", "spec-examples-by-section", "extended-tests", "negative-tests",
    ]

    private static func cases() throws -> [Case] {
        let folder = URL(filePath: #filePath).appending(path: "../../Suites/uritemplate-test").standardized
        return try files.flatMap { name -> [Case] in
            let data = try Data(contentsOf: folder.appending(path: "\(name).json"))
            let document = try JSONParser.parse(Array(data))
            return try #require(document.object).members.flatMap { group -> [Case] in
                let variables = try #require(group.value.object?["variables"]?.object)
                return try #require(group.value.object?["testcases"]?.array).map { row in
                    let row = try #require(row.array)
                    let right = row[1].array?.compactMap(\.string) ?? row[1].string.map { [$0] } ?? []
                    return Case(
                        template: try #require(row[0].string), variables: variables, expansions: right)
                }
            }
        }
    }

    @Test func `have the expansions that they ask for`() throws {
        let cases = try Self.cases()
        #expect(cases.count == 252)
        for item in cases {
            let values = try item.variables.members.map { member in
                (member.name, try #require(URITemplate.Value(member.value)))
            }
            let expansion = try? URITemplate(item.template).expand(values)
            #expect(
                expansion.map(item.expansions.contains) ?? item.expansions.isEmpty,
                "\(item.template): \(expansion ?? "")")
        }
    }

    /// The URL of a call with this template at the end of a path. What the tests leave undefined is null: `vars` names
    /// every variable, so that a misspelt one is found.
    private func url(_ item: Case) throws -> String {
        var variables = item.variables.members
        for name in (try? URITemplate(item.template).variableNames) ?? []
        where !variables.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
            variables.append(.init(name: name, value: .null))
        }
        let request: JSONValue = [
            "url": .string("https://a.example/x\(item.template)"),
            "vars": .object(JSONObject(uniqueMembers: variables)),
        ]
        let spec = try readSpec(
            #"{"type":"network","request":\#(String(decoding: request.encoded(), as: UTF8.self))}"#)
        let lookup = Binding.Lookup { (_) throws(AOperationError) -> JSONValue in .null }
        return try #require(spec.operation.call).makeURL(lookup, from: nil)
    }

    @Test func `have them as the URL of a call, but for + and #`() throws {
        var called = 0
        for item in try Self.cases() {
            let isReserved = item.template.contains("{+") || item.template.contains("{#")
            do {
                let url = try url(item)
                #expect(
                    !isReserved && item.expansions.contains { "https://a.example/x\($0)" == url },
                    "\(item.template)")
                called += 1
            } catch {
                #expect(isReserved || item.expansions.isEmpty, "\(item.template): \(error)")
            }
        }
        #expect(called == 168)
    }
}
