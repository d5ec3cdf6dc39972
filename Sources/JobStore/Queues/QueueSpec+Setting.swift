package import JobSpec
internal import StrictJSON

extension QueueSpec {
    /// The configuration in a setting of the kind `queue`. One that this program cannot read may say anything, so no
    /// job of the queue begins.
    package init(_ setting: SettingRecord) {
        if let spec = Self.read(setting) {
            self = spec
        } else {
            self.init()
            isPaused = true
        }
    }

    /// Nil when this program cannot read it.
    package static func read(_ setting: SettingRecord) -> QueueSpec? {
        (try? JSONParser.parse(setting.body)).flatMap { try? QueueReader.read($0, isStored: true).get() }
    }
}
