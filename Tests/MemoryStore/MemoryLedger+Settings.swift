import JobSpec
import JobStore

extension MemoryLedger {
    mutating func put(_ draft: SettingDraft) throws(JobStoreError) -> SettingRecord {
        let known = settings[draft.kind]?[draft.name]
        if let expected = draft.ifVersion, expected != known?.version ?? 0 {
            throw .settingConflict(draft.name, known?.version ?? 0)
        }
        if known == nil, settings[draft.kind]?.count ?? 0 >= limits.settingsMax {
            throw .settingsFull(limits.settingsMax)
        }
        let record = draft.record(version: (known?.version ?? 0) + 1)
        settings[draft.kind, default: [:]][draft.name] = record
        settingsVersion += 1
        if draft.kind == .queue { configure(draft.name, QueueSpec(record)) }
        return record
    }

    mutating func removeSetting(_ kind: SettingKind, _ name: String) throws(JobStoreError) {
        guard settings[kind]?.removeValue(forKey: name) != nil else { throw .noSetting(kind, name) }
        settingsVersion += 1
        if kind == .queue { configure(name, nil) }
    }
}
