/// Everything that is known about jobs, durably: one protocol for each noun, and an engine keeps all of them.
///
/// Whoever needs one noun takes that protocol, not this one. Every engine keeps the same promises; the conformance
/// suite asks for each.
///
/// Several servers may share one store. A claim belongs to the `owner` that made it, which is one life of one server,
/// and carries a fence, a number that rises with every claim of the job; a write of a run whose claim is over is
/// refused.
///
/// Writes: the reply comes once, after the change is durable (or refused). It comes on a thread of the store or, when
/// the engine has none or is closed, on the caller's before the call returns; it must not block. Writes that were
/// started one after the other by one caller are applied in that order. Writes of many callers are committed in
/// groups. A failed write has changed nothing.
///
/// Reads see every write whose reply has come.
package protocol JobStore: SubmissionStore, RunStore, ControlStore, ApprovalStore, GrantStore, TemplateStore,
    SettingStore, ValidatorStore, RetentionStore, ArtifactStore, CommitFeed, StoreReading, StoreCare
{}
