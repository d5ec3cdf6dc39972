import Commands
import Foundation
import JobKit
import StrictJSON
import Testing

@testable import JobServer

/// `openapi.yaml` describes exactly what the server does.
@Suite struct `The API description` {
    @Test func `is valid OpenAPI 3.1`() async throws {
        let validator = Shell.python.deletingLastPathComponent().appending(path: "openapi-spec-validator")
        let outcome = try await Shell.run(validator, ["openapi.yaml"])
        #expect(outcome.status == 0, "\(outcome.output)")
    }

    @Test func `lists exactly the routes of the server`() async throws {
        let described = try await APIDescription.load().routes
        let served = Set(RouteTable.routes.map { "\($0.method) \($0.pattern.text)" })
        #expect(described.subtracting(served) == [], "described, but not served")
        #expect(served.subtracting(described) == [], "served, but not described")
    }

    @Test func `lists exactly the states of a job`() async throws {
        #expect(try await APIDescription.load().words("JobState") == JobState.allCases.map(\.rawValue))
    }

    @Test func `lists exactly the kinds of problems`() async throws {
        let codes = try await APIDescription.load().words("ProblemCode", "examples")
        #expect(codes == ProblemKind.allCases.map(\.code))
    }

    @Test func `lists every error code that the sources give out`() async throws {
        let families = [
            "dns", "connect", "tls", "proxy", "http", "body", "expect", "timeout", "egress", "auth",
            "condition", "approval", "hook", "callback", "stream",
            "dependency", "cancelled", "template", "reference", "storage", "internal", "group",
            "transform", "download", "repeat", "poll", "pages", "unique", "queue", "job", "value",
            "evaluation",
        ]
        var codes: Set<String> = []
        let curl = Shell.root.appending(path: "Sources/CurlHTTP")
        let names = try FileManager.default.contentsOfDirectory(atPath: curl.path)
        let model = Shell.root.appending(path: "Sources/JobKit/Model/ErrorCode.swift")
        for file in names.map({ curl.appending(path: $0) }) + [model] {
            for literal in try String(contentsOf: file, encoding: .utf8).split(separator: "\"") {
                let parts = literal.split(separator: ".", omittingEmptySubsequences: false)
                guard parts.count == 2, families.contains(String(parts[0])), !parts[1].isEmpty,
                    parts[1].utf8.allSatisfy({ $0 == 0x5F || (0x61...0x7A).contains($0) })
                else { continue }
                codes.insert(String(literal))
            }
        }
        #expect(codes.count > 40)
        #expect(try await APIDescription.load().words("ErrorCode", "examples") == codes.sorted())

        let page = try String(contentsOf: Shell.root.appending(path: "Docs/Errors.md"), encoding: .utf8)
        for family in Set(codes.compactMap { $0.split(separator: ".").first }) {
            #expect(page.contains("`\(family)`"), "Docs/Errors.md does not explain \(family)")
        }
    }

    @Test func `has one answer for all problems that any request may get, and a few of their own`()
        async throws
    {
        let description = try await APIDescription.load()
        let own: Set = ["404", "409", "410", "412", "416", "422"]
        for route in description.routes {
            let statuses = description.statuses(route)
            #expect(statuses.contains("default"), "\(route)")
            #expect(statuses.filter { $0.hasPrefix("4") || $0.hasPrefix("5") }.isSubset(of: own), "\(route)")
        }
    }

    @Test func `says of each operation how stable it is`() async throws {
        let description = try await APIDescription.load()
        let experimental = description.routes.filter { description.stability($0) == "experimental" }
        #expect(experimental.count { $0.contains(" /v1/grants") } == 4)
        let hooks = experimental.filter { $0.contains(" /v1/hooks") || $0.contains(" /hooks/") }
        #expect(hooks.count == 10)
        #expect(experimental.count == 14)
        for route in description.routes.subtracting(experimental) {
            #expect(description.stability(route) == "stable", "\(route)")
        }
    }

    @Test func `names each operation by a verb that all of its sort have`() async throws {
        let description = try await APIDescription.load()
        for route in description.routes {
            let name = try #require(description.name(of: route))
            switch route.split(separator: " ")[0] {
            case "GET":
                let verbs = ["get", "list", "count", "explain", "stream"]
                #expect(verbs.contains { name.hasPrefix($0) }, "\(name)")
            case "PUT": #expect(name.hasPrefix("put"), "\(name)")
            case "DELETE": #expect(name.hasPrefix("delete"), "\(name)")
            default:
                let others = ["get", "list", "read", "put", "delete"]
                #expect(!others.contains { name.hasPrefix($0) }, "\(name)")
            }
        }
    }

    @Test func `has the version of the program`() async throws {
        let info = try await APIDescription.load().document.object?["info"]
        #expect(info?.object?["version"]?.string == Version.text)
    }

    @Test func `says the same to readers of YAML 1.1 and 1.2`() async throws {
        let outcome = try await Shell.run(Shell.python, ["Tests/Live/yaml-versions.py"])
        #expect(outcome.status == 0, "\(outcome.output)")
    }

    @Test func `has no word of before, nor have examples, page, metrics and log`() async throws {
        let outcome = try await Shell.run(Shell.python, ["Tests/Names/old_words.py"])
        #expect(outcome.status == 0, "\(outcome.output)")
        let doctored = try await Shell.run(Shell.python, ["Tests/Names/old_words.py", "--doctored"])
        #expect(doctored.status == 0, "\(doctored.output)")
    }

    @Test func `is the reference of the spec's members`() async throws {
        let outcome = try await Shell.run(Shell.python, ["Tests/Names/spec_members.py"])
        #expect(outcome.status == 0, "\(outcome.output)")
    }

    @Test func `is served as JSON, too`() async throws {
        let json = try #require(Description.json)
        #expect(try JSONParser.parse(json) == (try await APIDescription.load().document))
    }

    @Test func `has the field Link in every answer with pages`() async throws {
        let description = try await APIDescription.load()
        let paged = description.routes.filter { description.takes("PageToken", $0) }
        #expect(paged.count > 15)
        for route in paged { #expect(description.fields(route, "200").contains("Link"), "\(route)") }
    }

    @Test func `takes preferences exactly where a job is answered`() async throws {
        let description = try await APIDescription.load()
        let routes = Set(description.routes.filter { description.takes("Prefer", $0) })
        #expect(
            routes == [
                "POST /v1/jobs", "GET /v1/jobs/{id}", "POST /v1/jobs/{id}:cancel",
                "POST /v1/jobs/{id}:hold", "POST /v1/jobs/{id}:release", "POST /v1/jobs/{id}:retry",
                "POST /v1/jobs/{id}:requeue", "POST /v1/jobs/{id}/signals/{name}",
                "POST /v1/schedules/{name}:run", "POST /v1/connections/{name}:test",
            ])
    }

    @Test func `takes an idempotency key exactly where the server honours it`() async throws {
        let description = try await APIDescription.load()
        for route in RouteTable.routes {
            let name = "\(route.method) \(route.pattern.text)"
            var isKeyed = false
            if case .isKeyed = route.repetition { isKeyed = true }
            #expect(description.takes("IdempotencyKey", name) == isKeyed, "\(name)")
        }
    }

    @Test func `takes conditions of a change exactly where the server evaluates them`() async throws {
        let description = try await APIDescription.load()
        for route in RouteTable.routes {
            let name = "\(route.method) \(route.pattern.text)"
            var isEvaluated = false
            if case .ofVersion = route.preconditions { isEvaluated = true }
            #expect(description.takes("IfMatch", name) == isEvaluated, "\(name)")
            #expect(!isEvaluated || description.statuses(name).contains("412"), "\(name)")
        }
    }

    @Test func `states the required scope of a token`() async throws {
        let description = try await APIDescription.load()
        for route in RouteTable.routes {
            let name = "\(route.method) \(route.pattern.text)"
            #expect(description.scopes(name) == route.scopes.map(\.rawValue), "\(name)")
        }
    }

    @Test func `has an example of every request and answer, which its schema allows`() async throws {
        let outcome = try await Shell.run(Shell.python, ["Tests/Live/examples.py"])
        #expect(outcome.status == 0, "\(outcome.output)")
    }

    @Test func `is the one that the server serves`() throws {
        let file = try Data(contentsOf: Shell.root.appending(path: "openapi.yaml"))
        let isSame = Description.text == Array(file)
        #expect(
            isSame,
            "the program holds an older openapi.yaml; touch Sources/CEmbedded/embedded.c and build again")
    }
}
