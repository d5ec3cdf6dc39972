/// The effect of storing a setting.
package struct SettingReceipt: Sendable {
    package var setting: SettingRecord
    /// Whether there was none of this name.
    package var isNew: Bool
    /// Whether it was stored; otherwise it said the same before.
    package var isChanged: Bool

    package init(setting: SettingRecord, isNew: Bool, isChanged: Bool) {
        self.setting = setting
        self.isNew = isNew
        self.isChanged = isChanged
    }
}
