/// The rows of templates.
package protocol TemplateRows {
    associatedtype Failure: Error

    /// The newest version of a template; no other server changes it until the end of the transaction.
    func newest(of name: String) throws(Failure) -> TemplateRecord?

    /// The number of all versions of all templates.
    func count() throws(Failure) -> Int

    func insert(_ template: TemplateRecord) throws(Failure)

    /// Removes all versions of a template; false when there is none.
    func remove(_ name: String) throws(Failure) -> Bool
}

/// Stores a template as the next version of its name, unless the newest one has the same body.
///
/// Refused with `.full`.
package struct TemplateDraft: RequestWrite {
    /// The newest version.
    package typealias Reply = TemplateReceipt

    package var template: TemplateRecord

    package init(_ template: TemplateRecord) { self.template = template }

    package var needs: WriteNeeds { WriteNeeds(wholes: [.templates]) }

    package var bytes: Int { template.body.count }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        let rows = transaction.templates
        let newest = try rows.newest(of: template.name)
        if let newest, newest.body == template.body {
            return .success(TemplateReceipt(template: newest, isNew: false))
        }
        let most = transaction.limits.templatesMax
        guard try rows.count() < most else { return .failure(.templatesFull(most)) }
        var template = template
        template.version = (newest?.version ?? 0) + 1
        try rows.insert(template)
        return .success(TemplateReceipt(template: template, isNew: true))
    }

    package func owned(by tenant: Tenant, _ reader: any OwnerReads) -> TemplateDraft {
        var own = self
        own.template.name = tenant.stored(template.name)
        return own
    }

    package func shown(_ reply: TemplateReceipt, to tenant: Tenant) -> TemplateReceipt {
        var reply = reply
        reply.template = tenant.shown(reply.template)
        return reply
    }
}

/// Removes all versions of a template.
///
/// Refused with `.missing`.
package struct TemplateRemoval: RequestWrite {
    /// Nothing but the success.
    package typealias Reply = Void

    package var name: String

    package init(_ name: String) { self.name = name }

    package var needs: WriteNeeds { WriteNeeds(wholes: [.templates]) }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        guard try transaction.templates.remove(name) else { return .failure(.noTemplate(name)) }
        transaction.noteErasure()
        return .success(())
    }

    package func owned(by tenant: Tenant, _ reader: any OwnerReads) -> TemplateRemoval {
        TemplateRemoval(tenant.stored(name))
    }

    package func shown(_ reply: Void, to tenant: Tenant) {}
}
