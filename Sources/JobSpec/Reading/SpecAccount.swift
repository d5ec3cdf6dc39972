internal import JobKit
internal import StrictJSON

/// The common budget of reading a spec and the templates in it, and the templates that were read.
struct SpecAccount {
    /// The steps left to look for names that are meant.
    var suggestionSteps: Int
    /// The templates that the spec uses.
    var templates = TemplateUses()
    /// The uploads that the spec names, each once, where it names them first.
    private(set) var uploads: [UploadPlace] = []
    private var knownUploads: Set<UploadID> = []

    /// The first place at which the spec hands out a callback URL.
    private(set) var callback: JSONPointer?

    mutating func noteCallback(at pointer: JSONPointer) { callback = callback ?? pointer }

    init(suggestionSteps: Int) { self.suggestionSteps = suggestionSteps }

    mutating func note(_ upload: UploadID, at pointer: JSONPointer) {
        guard knownUploads.insert(upload).inserted else { return }
        uploads.append(UploadPlace(id: upload, pointer: pointer))
    }
}

/// The names of a template's parameters.
struct ParameterNames: Sendable {
    let all: [String]
    private let index: NameIndex

    init(_ all: [String]) {
        self.all = all
        index = NameIndex(all, by: { $0 })
    }

    func contains(_ name: String) -> Bool { index.place(of: name, in: all, by: { $0 }) != nil }
}
