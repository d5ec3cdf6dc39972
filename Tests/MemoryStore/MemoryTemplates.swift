import JobStore

/// The templates of a ledger in a transaction.
struct MemoryTemplates: TemplateRows {
    let transaction: MemoryTransaction

    func newest(of name: String) -> TemplateRecord? { transaction.ledger.templates[name]?.last }

    func count() -> Int { transaction.ledger.templates.values.reduce(0) { $0 + $1.count } }

    func insert(_ template: TemplateRecord) {
        transaction.ledger.templates[template.name, default: []].append(template)
    }

    func remove(_ name: String) -> Bool { transaction.ledger.templates.removeValue(forKey: name) != nil }
}
