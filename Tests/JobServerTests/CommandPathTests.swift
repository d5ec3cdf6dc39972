import Commands
import Testing

@testable import JobClient
@testable import JobServer

/// The requests of the commands, compared with openapi.yaml.
@Suite struct `The requests of the commands` {
    /// Method and path of each operation, with `{}` for every parameter: `GET /v1/queues/{}`.
    private func operations() -> Set<String> {
        var found: Set<String> = []
        var path = ""
        for line in String(decoding: EmbeddedFile.openapi, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("components:") { break }
            if line.hasPrefix("  /"), line.hasSuffix(":") {
                path = String(line.dropFirst(2).dropLast().replacing(#/\{[^}]*\}/#, with: "{}"))
            } else if let method = line.wholeMatch(of: #/ {4}(get|put|post|patch|delete):/#) {
                found.insert("\(method.1.uppercased()) \(path)")
            }
        }
        return found
    }

    @Test func `are all described in openapi.yaml`() {
        let known = operations()
        #expect(known.count > 50)
        for resource in ResourceTable.all {
            for verb in resource.verbs {
                #expect(
                    known.contains("\(verb.method) \(verb.path)"), "\(resource.command.name) \(verb.name)")
            }
        }
    }

    @Test func `have as many operands as their path has places, and names that are used once`() {
        let names = CommandTable.all.map(\.name)
        #expect(Set(names).count == names.count)
        for resource in ResourceTable.all {
            #expect(Set(resource.verbs.map(\.name)).count == resource.verbs.count)
            for verb in resource.verbs {
                let operands = verb.operands.split(separator: " ").count
                #expect(operands >= verb.placesCount, "\(resource.command.name) \(verb.name)")
            }
        }
    }
}
