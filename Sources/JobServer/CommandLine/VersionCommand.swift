import Commands

/// `jobserver version`
enum VersionCommand {
    static let flags = [
        Flag(
            name: "licenses", help: "also print the license, and the libraries inside with theirs",
            hasVariable: false),
        Flag(
            name: "sbom", help: "print the bill of materials instead, as CycloneDX 1.5 JSON",
            hasVariable: false),
    ]

    static func run(_ arguments: some Sequence<String>) throws(CommandFailure) -> String {
        let given = try Arguments(arguments, flags: flags, command: "version")
        if let word = given.words.first {
            throw .usage("\"\(word)\" is not expected here", command: "version")
        }
        switch (given.has("licenses"), given.has("sbom")) {
        case (true, true): throw .usage("Give either --licenses or --sbom", command: "version")
        case (true, false): return BillOfMaterials.text
        case (false, true): return BillOfMaterials.json
        case (false, false): return BuildFacts.text
        }
    }
}
