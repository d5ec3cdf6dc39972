import Glibc

extension DescriptorOutput {
    /// Whether a person reads the output on a terminal.
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// The number of columns of the terminal; 80 when it is unknown.
    package var columns: Int {
        var size = winsize()
        let status = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size)
        return status == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Creates a file, or empties an existing one. Nil when that is impossible.
    package static func create(_ path: String) -> DescriptorOutput? {
        let found = unsafe Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        return found < 0 ? nil : DescriptorOutput(descriptor: found)
    }

    /// Closes the descriptor.
    /// - Returns: false when the content could not be written.
    @discardableResult
    package func close() -> Bool { Glibc.close(descriptor) == 0 }
}
