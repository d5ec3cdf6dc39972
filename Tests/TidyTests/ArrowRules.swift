/// The arrows between modules, by what they import, and between the folders of a module, by the types that they name.
enum ArrowRules {
    /// The graph of the modules and, for each module that has folders, the graph of these.
    static func graphs(of files: [SourceFile]) -> [ArrowGraph] {
        let modules = Dictionary(
            grouping: files.filter { $0.lies(in: ["Sources"]) && $0.parts.count > 2 }, by: { $0.parts[1] })
        var graph = ArrowGraph("modules")
        for (module, files) in modules {
            let imported = files.flatMap { $0.code.compactMap(ImportRules.importedModule) }
            graph.add(module, uses: Set(imported).intersection(modules.keys))
        }
        let folders = modules.sorted { $0.key < $1.key }.map { folderGraph($0.key, of: $0.value) }
        return [graph] + folders.filter { $0.arrows.count > 1 }
    }

    /// Files outside folders form the node `(top)`.
    private static func folderGraph(_ module: String, of files: [SourceFile]) -> ArrowGraph {
        var graph = ArrowGraph("folders of \(module)")
        var homes: [Substring: String] = [:]
        for file in files {
            for declaration in Declaration.all(in: file) where !declaration.isExtension {
                if !declaration.isPrivate { homes[Substring(declaration.name)] = folder(of: file) }
            }
        }
        for file in files {
            let words = file.code.flatMap { $0.split { !($0.isLetter || $0.isNumber || $0 == "_") } }
            graph.add(folder(of: file), uses: Set(words.compactMap { homes[$0] }))
        }
        return graph
    }

    private static func folder(of file: SourceFile) -> String {
        file.parts.count > 3 ? file.parts[2] : "(top)"
    }
}
