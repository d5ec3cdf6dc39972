/// The arrows between modules, by what they import, and between the folders of a module, by the types that they name.
enum ArrowRules {
    /// The graph of the modules and, for each folder that has others inside, the graph of these.
    static func graphs(of files: [SourceFile]) -> [ArrowGraph] {
        let modules = Dictionary(
            grouping: files.filter { $0.lies(in: ["Sources"]) && $0.parts.count > 2 }, by: { $0.parts[1] })
        var graph = ArrowGraph("modules")
        for (module, files) in modules {
            let imported = files.flatMap { $0.code.compactMap(ImportRules.importedModule) }
            graph.add(module, uses: Set(imported).intersection(modules.keys))
        }
        let folders = modules.sorted { $0.key < $1.key }.flatMap { folderGraphs($0.key, of: $0.value) }
        return [graph] + folders.filter { $0.arrows.count > 1 }
    }

    /// The graphs of a module's folders at every depth. An arrow between two files counts where their paths part.
    private static func folderGraphs(_ module: String, of files: [SourceFile]) -> [ArrowGraph] {
        var graphs: [[String]: ArrowGraph] = [:]
        var homes: [Substring: [String]] = [:]
        for file in files {
            let own = folder(of: file)
            for depth in 0...own.count {
                let outer = Array(own.prefix(depth))
                let name = ([module] + outer).joined(separator: "/")
                graphs[outer, default: ArrowGraph("folders of \(name)")].add(node(of: own, depth), uses: [])
            }
            for declaration in Declaration.all(in: file) where !declaration.isExtension {
                if !declaration.isPrivate { homes[Substring(declaration.name)] = own }
            }
        }
        for file in files {
            let own = folder(of: file)
            let words = Set(file.code.flatMap { $0.split { !($0.isLetter || $0.isNumber || $0 == "_") } })
            for used in Set(words.compactMap { homes[$0] }) where used != own {
                let depth = zip(own, used).prefix { $0 == $1 }.count
                graphs[Array(own.prefix(depth))]?.add(node(of: own, depth), uses: [node(of: used, depth)])
            }
        }
        return graphs.values.sorted { $0.name < $1.name }
    }

    /// The folders from below the module down to the file.
    private static func folder(of file: SourceFile) -> [String] { Array(file.parts.dropFirst(2).dropLast()) }

    /// The node at this depth; files beside folders form `(top)`.
    private static func node(of folder: [String], _ depth: Int) -> String {
        depth < folder.count ? folder[depth] : "(top)"
    }
}
