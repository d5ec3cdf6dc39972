/// The effect of storing a template.
package struct TemplateReceipt: Sendable {
    /// The newest version after it.
    package var template: TemplateRecord
    /// Whether it is a new one; otherwise the newest was the same.
    package var isNew: Bool

    /// A receipt.
    package init(template: TemplateRecord, isNew: Bool) {
        self.template = template
        self.isNew = isNew
    }
}
