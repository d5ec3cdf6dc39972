package import JobSpec
internal import StrictJSON

extension QueueSpec {
    /// The configuration in a setting of the kind `queue`; nil when this program cannot read it.
    package init?(_ setting: SettingRecord) {
        guard let value = try? JSONParser.parse(setting.body), let spec = try? QueueReader.read(value).get()
        else { return nil }
        self = spec
    }
}
