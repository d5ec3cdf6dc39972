internal import JobSpec

/// Reads of one store, local and synchronous: they block the calling thread. Every method sees all writes whose reply
/// has come.
package protocol JobReader: JobReads, JournalReads, ArtifactReads, HoldReads, CallbackReads, ApprovalReads,
    GrantReads, TemplateReads, SettingReads, ValidatorReads
{}
