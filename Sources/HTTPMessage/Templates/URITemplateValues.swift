/// The values of an expansion by the names of their variables, among few by a search, among many by an index.
struct URITemplateValues {
    private static let searchedMax = 16

    private let values: [(String, URITemplate.Value)]
    private var places: [[UInt8]: Int] = [:]

    init(_ values: [(String, URITemplate.Value)]) {
        self.values = values
        guard values.count > Self.searchedMax else { return }
        for (place, value) in values.enumerated() {
            let name = Array(value.0.utf8)
            if places[name] == nil { places[name] = place }
        }
    }

    /// The first value of this name; nil when there is none or it is undefined.
    subscript(name: String) -> URITemplate.Value? {
        guard let place = place(of: name) else { return nil }
        let value = values[place].1
        switch value {
        case .string: return value
        case .list(let items): return items.isEmpty ? nil : value
        case .pairs(let pairs): return pairs.isEmpty ? nil : value
        }
    }

    private func place(of name: String) -> Int? {
        if values.count > Self.searchedMax { return places[Array(name.utf8)] }
        return values.firstIndex { $0.0.utf8.elementsEqual(name.utf8) }
    }
}
