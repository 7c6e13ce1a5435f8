// The sleep of the capture thread.
import KineCapture
import KinePlatform

/// Sleeps until the source, the camera, the opening of another source, or another thread has something for the capture
/// thread. Used by that thread alone.
struct CaptureWaiter {
    private let wake: WakeSignal
    private var waiter: SourceWaiter
    /// The camera's descriptor at the last `renew`; negative: none. A camera that is opened again has another one.
    private(set) var cameraDescriptor: Int32 = -1

    /// Waits for the source alone.
    ///
    /// - Parameter wake: the signal of other threads. A wait clears it.
    init(wake: WakeSignal, source: any VideoSource) {
        self.wake = wake
        waiter = SourceWaiter(wake: wake, descriptors: [source.descriptor], drained: source.drained)
    }

    /// Waits for these from now on. Call it after each change of a descriptor.
    ///
    /// - Parameters:
    ///   - camera: negative if there is none.
    ///   - openings: of sources that are being opened.
    mutating func renew(source: any VideoSource, camera: Int32, openings: [Int32]) {
        cameraDescriptor = camera
        waiter = SourceWaiter(wake: wake, descriptors: [source.descriptor, camera] + openings, drained: source.drained)
    }

    /// Sleeps until CLOCK_MONOTONIC reaches `deadline` (nanoseconds), or until the events or the signal.
    mutating func wait(until deadline: Int64, for interest: SourceWaiter.Interest) {
        waiter.wait(until: deadline, for: interest)
    }

    /// Waits for the openings. The source counts only if it loses unread frames.
    ///
    /// - Parameter deadline: nanoseconds of CLOCK_MONOTONIC; nil: none.
    func wait(until deadline: Int64?, forOpenings openings: [Int32], beside source: any VideoSource) {
        var waiter = SourceWaiter(wake: wake, descriptors: openings + source.drained)
        waiter.wait(until: deadline, for: .sources)
    }
}

extension VideoSource {
    /// The descriptors whose events end a wait for `SourceWaiter.Interest.drained`.
    fileprivate var drained: [Int32] { losesUnreadFrames ? [descriptor] : [] }
}
