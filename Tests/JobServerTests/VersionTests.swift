import Foundation
import StrictJSON
import Testing

@Suite struct `The version command` {
    /// The libraries that the loader is asked for, without their versions.
    private func needed() throws -> Set<String> {
        let ended = try LiveServer.run(URL(filePath: "/usr/bin/readelf"), ["-d", LiveServer.program.path])
        let lines = ended.output.split(separator: "\n").filter { $0.contains("(NEEDED)") }
        let files = lines.compactMap { $0.split(separator: "[").last?.dropLast() }
        return Set(
            files.map { $0.prefix(while: { $0 != "." }).split(separator: "-").first.map(String.init) ?? "" })
    }

    private func components() throws -> [JSONValue] {
        let ended = try LiveServer.command(["version", "--sbom"])
        #expect(ended.code == 0)
        let bill = try JSONParser.parse(Array(ended.output.utf8))
        #expect(bill.at("/bomFormat") == "CycloneDX")
        #expect(bill.at("/metadata/component/name") == "jobserver")
        return try #require(bill.at("/components")?.array)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/readelf"), "needs binutils"))
    func `names each library that the program is linked with in its bill of materials`() throws {
        let properties = try components().flatMap { $0.at("/properties")?.array ?? [] }
        let listed = properties.filter { $0.at("/name") == "jobserver:library" }
            .compactMap { $0.at("/value")?.string?.split(separator: "-").first.map(String.init) }
        // Debug builds load Swift's libraries, which release builds include.
        let foreign = try needed().filter { !$0.hasPrefix("libswift") && !$0.hasPrefix("lib_Foundation") }
        #expect(foreign.contains("libcurl"))
        #expect(foreign.subtracting(listed).isEmpty)
    }

    @Test func `says the license and the version of each component`() throws {
        let text = try LiveServer.command(["version", "--licenses"]).output
        #expect(text.hasPrefix("jobserver "))
        #expect(text.contains("Permission is hereby granted"))
        for component in try components() {
            let name = try #require(component.at("/name")?.string)
            let license = try #require(component.at("/licenses/0/expression")?.string)
            let line = text.split(separator: "\n").first { $0.hasPrefix("  \(name) ") }
            #expect(line?.contains(license) == true, "\(name)")
        }
        #expect(text.contains(/SQLite +blessing \(3\.\d+/))
    }

    @Test func `refuses both at once`() throws {
        let ended = try LiveServer.command(["version", "--licenses", "--sbom"])
        #expect(ended.code == 2)
        #expect(ended.errors.contains("Give either --licenses or --sbom"))
    }
}
