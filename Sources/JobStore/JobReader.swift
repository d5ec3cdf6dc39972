/// Reads of one store, local and synchronous: they block the calling thread. Every read sees all acknowledged writes.
package protocol JobReader: JobReads, JournalReads, ArtifactReads, HoldReads, CallbackReads, ApprovalReads,
    GrantReads, TemplateReads, SettingReads, QueueReads, ValidatorReads, ScheduleReads, BulkReads, AuditReads,
    ServerReads, OriginReads, UploadReads, StatsReads, DeliveryReads, StandingReads
{}
