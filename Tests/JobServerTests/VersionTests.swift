import Foundation
import StrictJSON
import Testing

@Suite struct `The version command` {
    @Test func `says the version, and refuses other words`() throws {
        let ended = try LiveServer.command(["version"])
        #expect(ended.code == 0 && ended.output.hasPrefix("jobserver "))
        #expect(try LiveServer.command(["version", "--sbom"]).code == 2)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/readelf"), "needs binutils"))
    func `agrees with the bill of materials, which names each library that the program is linked with`()
        throws
    {
        func bill(of program: String) throws -> (code: Int32, output: String, errors: String) {
            let script = PythonServer.root.appending(path: "Packaging/sbom.py").path
            let ended = try LiveServer.run(URL(filePath: "/usr/bin/python3"), ["-B", script, program])
            return (ended.code, ended.output, ended.errors)
        }
        let ended = try bill(of: LiveServer.program.path)
        #expect(ended.code == 0, "\(ended.errors)")
        let json = try JSONParser.parse(Array(ended.output.utf8))
        let version = try #require(json.at("/metadata/component/version")?.string)
        #expect(try LiveServer.command(["version"]).output.hasPrefix("jobserver \(version)\n"))
        let names = json.at("/components")?.array?.compactMap { $0.at("/name")?.string } ?? []
        #expect(names.contains("curl") && names.contains("OpenSSL"))
        let other = try bill(of: "/usr/bin/python3")
        #expect(other.code == 1 && other.errors.contains("are not in Packaging/components.json"))
    }
}
