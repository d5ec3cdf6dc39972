import CEvent

/// A libevent event with the Swift function it calls. Everything in this module that waits is built on it.
///
/// All methods are for the loop's thread. The last reference may be released anywhere: the event is then freed on the
/// loop, and its function is not called again after that.
// Safe because the event is only touched on its loop, which `deinit` ensures, too; the box that libevent points at
// lives until the event is freed.
@safe
final class LoopEvent: @unchecked Sendable {
    let loop: EventLoop
    private let event: OpaquePointer

    /// Creates an inactive event.
    ///
    /// - Parameters:
    ///   - descriptor: a file descriptor, a signal number, or -1.
    ///   - flags: libevent's `EV_…`.
    ///   - handler: called on the loop with the `EV_…` that occurred.
    init(loop: EventLoop, descriptor: CInt, flags: CInt, handler: @escaping (CShort) -> Void) {
        self.loop = loop
        let context = unsafe Unmanaged.passRetained(HandlerBox(loop, handler)).toOpaque()
        let event = unsafe event_new(
            loop.base, descriptor, CShort(flags),
            { _, what, context in
                guard let context = unsafe context else { return }
                let box = unsafe Unmanaged<HandlerBox>.fromOpaque(context).takeUnretainedValue()
                box.loop.noteAwake()
                box.handler(what)
            }, context)
        guard let event = unsafe event else { preconditionFailure("libevent is out of memory") }
        unsafe self.event = unsafe event
    }

    deinit {
        unsafe EventRelease(event, of: loop).release()
    }

    /// Activates the event, for at most `timeout`; nil means without limit.
    func add(timeout: Duration? = nil) {
        guard let timeout else {
            unsafe event_add(event, nil)
            return
        }
        var time = timeout.timeValue
        unsafe event_add(event, &time)
    }

    func remove() {
        unsafe event_del(event)
    }

    var isPending: Bool {
        unsafe event_pending(event, CShort(EV_READ | EV_WRITE | EV_TIMEOUT | EV_SIGNAL), nil) != 0
    }
}

/// Keeps a handler alive for as long as libevent points at it.
private final class HandlerBox {
    let loop: EventLoop
    let handler: (CShort) -> Void

    init(_ loop: EventLoop, _ handler: @escaping (CShort) -> Void) {
        self.loop = loop
        self.handler = handler
    }
}

/// An event to be freed.
// Safe because its creator gives the event up: it is freed once, on the loop, or when the loop has ended and dropped
// the work that was to free it.
@safe
private final class EventRelease: @unchecked Sendable {
    private let event: OpaquePointer
    private let loop: EventLoop
    private var isFreed = false

    init(_ event: OpaquePointer, of loop: EventLoop) {
        unsafe self.event = unsafe event
        self.loop = loop
    }

    deinit { free() }

    func release() {
        if loop.isConfined {
            free()
        } else {
            loop.execute { self.free() }
        }
    }

    private func free() {
        if isFreed { return }
        isFreed = true
        let context = unsafe event_get_callback_arg(event)
        unsafe event_free(event)
        if let context = unsafe context {
            unsafe Unmanaged<HandlerBox>.fromOpaque(context).release()
        }
    }
}

extension Duration {
    /// The duration as a C struct: from zero to ten years, rounded up to the next microsecond.
    var timeValue: timeval {
        let limited = Swift.min(Swift.max(self, .zero), .seconds(315_360_000))
        let (seconds, attoseconds) = limited.components
        let microseconds = (attoseconds + 999_999_999_999) / 1_000_000_000_000
        return microseconds == 1_000_000
            ? timeval(tv_sec: Int(seconds) + 1, tv_usec: 0)
            : timeval(tv_sec: Int(seconds), tv_usec: Int(microseconds))
    }
}
