/// The effect of a change that may find everything as it is to be.
package protocol ChangeReceipt {
    /// Whether nothing was changed, so that there is nothing to record.
    var changedNothing: Bool { get }
}

extension ScheduleReceipt: ChangeReceipt {}

extension SettingReceipt: ChangeReceipt {
    package var changedNothing: Bool { !isChanged }
}

extension TemplateReceipt: ChangeReceipt {
    package var changedNothing: Bool { !isNew }
}

extension GrantReceipt: ChangeReceipt {}
