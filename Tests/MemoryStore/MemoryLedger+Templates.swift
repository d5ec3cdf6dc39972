import JobStore

extension MemoryLedger {
    mutating func put(_ template: TemplateRecord) throws(JobStoreError) -> TemplateReceipt {
        let known = templates[template.name] ?? []
        if let newest = known.last, newest.body == template.body {
            return TemplateReceipt(template: newest, isNew: false)
        }
        let count = templates.values.reduce(0) { $0 + $1.count }
        guard count < limits.templatesMax else { throw .templatesFull(limits.templatesMax) }
        var template = template
        template.version = Int64(known.count) + 1
        templates[template.name] = known + [template]
        return TemplateReceipt(template: template, isNew: true)
    }

    mutating func removeTemplate(_ name: String) throws(JobStoreError) {
        guard templates.removeValue(forKey: name) != nil else { throw .noTemplate(name) }
    }
}
