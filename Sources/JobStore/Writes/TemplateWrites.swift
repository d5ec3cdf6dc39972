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
/// Refused with `.full`, `.settingConflict`.
package struct TemplateDraft: RequestWrite {
    /// The newest version.
    package typealias Reply = TemplateReceipt

    package var template: TemplateRecord
    /// The newest version that it follows on, 0 for none; nil follows on any.
    package var ifVersion: Int64?

    package init(_ template: TemplateRecord, ifVersion: Int64? = nil) {
        self.template = template
        self.ifVersion = ifVersion
    }

    package var needs: WriteNeeds { WriteNeeds(wholes: [.templates]) }

    package var bytes: Int { template.body.count }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        let rows = transaction.templates
        let newest = try rows.newest(of: template.name)
        let version = newest?.version ?? 0
        if let ifVersion, ifVersion != version {
            return .failure(.settingConflict(template.name, version))
        }
        if let newest, newest.body == template.body {
            return .success(TemplateReceipt(template: newest, isNew: false))
        }
        let most = transaction.limits.templatesMax
        guard try rows.count() < most else { return .failure(.templatesFull(most)) }
        var template = template
        template.version = version + 1
        if let newest { (template.firstAt, template.firstBy) = (newest.firstAt, newest.firstBy) }
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
/// Refused with `.missing`, `.settingConflict`.
package struct TemplateRemoval: RequestWrite {
    /// Nothing but the success.
    package typealias Reply = Void

    package var name: String
    /// The newest version of what is removed; nil removes any.
    package var ifVersion: Int64?

    package init(_ name: String, ifVersion: Int64? = nil) {
        self.name = name
        self.ifVersion = ifVersion
    }

    package var needs: WriteNeeds { WriteNeeds(wholes: [.templates]) }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        if let ifVersion, let newest = try transaction.templates.newest(of: name), newest.version != ifVersion
        {
            return .failure(.settingConflict(name, newest.version))
        }
        guard try transaction.templates.remove(name) else { return .failure(.noTemplate(name)) }
        transaction.noteErasure()
        return .success(())
    }

    package func owned(by tenant: Tenant, _ reader: any OwnerReads) -> TemplateRemoval {
        TemplateRemoval(tenant.stored(name), ifVersion: ifVersion)
    }

    package func shown(_ reply: Void, to tenant: Tenant) {}
}
