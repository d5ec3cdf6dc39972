import FoundationEssentials
import HTTPMessage
import Synchronization

/// `GET /page/`: the page and its files. They are the same for all users and need no token; the data of the page
/// comes from the API.
enum PageFiles {
    /// The embedded files, bundled and packed when one is first asked for: a server that no browser uses spends no time
    /// and no memory on them.
    private static let embedded: [String: PageFile] = {
        let files = EmbeddedFile.page()
        var found: [String: PageFile] = [:]
        for path in ["index.html", "icon.svg", "main.js", "main.css"] {
            found[path] = PageBundle.make(path) { files[$0] }.flatMap { PageFile(path: path, bytes: $0) }
        }
        return found
    }()

    private static let arePacked = Atomic(false)

    /// Sends the file at the path; the page itself at the path of the folder.
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let page = context.server.entrance.page
        guard page.mode != .off, page.directory == nil, !arePacked.load(ordering: .relaxed) else {
            return try send(context)
        }
        // It takes 30 ms, once, which would hold the loop.
        try context.onReaderThread { _ throws(Problem) in
            defer { arePacked.store(true, ordering: .relaxed) }
            try send(context)
        }
    }

    private static func send(_ context: RequestContext) throws(Problem) {
        let path = String(
            decoding: context.path.dropFirst("/page/".utf8.count), as: UTF8.self)
        guard context.server.entrance.page.mode != .off,
            let file = file(path.isEmpty ? "index.html" : path, in: context.server.entrance.page.directory)
        else { throw Problem(.notFound, "The page has no file of this name.") }
        context.answer(file.answer(to: context.request.head.fields))
    }

    private static func file(_ path: String, in directory: String?) -> PageFile? {
        guard let directory else { return embedded[path] }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.isEmpty || $0.hasPrefix(".") || $0.contains("%") }) else {
            return nil
        }
        return FileManager.default.contents(atPath: "\(directory)/\(path)").flatMap {
            PageFile(path: path, bytes: Array($0))
        }
    }
}
