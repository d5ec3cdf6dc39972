/// The effect of storing a template.
package struct TemplateReceipt: Sendable {
    package var template: TemplateRecord
    /// Whether it is a new version; otherwise the newest was identical.
    package var isNew: Bool

    package init(template: TemplateRecord, isNew: Bool) {
        self.template = template
        self.isNew = isNew
    }
}
