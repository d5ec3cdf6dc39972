import Glibc

/// The limit of open descriptors of the process.
package enum DescriptorLimit {
    private static let resource = CInt(RLIMIT_NOFILE.rawValue)

    /// Raises the limit to what the system allows this process, and returns the new limit.
    @discardableResult
    package static func raise() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return 1_024 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if unsafe setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    package static var current: Int {
        var limit = rlimit()
        let status = unsafe getrlimit(resource, &limit)
        return status == 0 ? Int(clamping: limit.rlim_cur) : 1_024
    }
}
