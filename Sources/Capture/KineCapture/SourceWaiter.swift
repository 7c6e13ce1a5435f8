// One poll for a capture thread's wake signal and its sources.
import CLinux
import KinePlatform

/// Sleeps until one of several sources has events. Used by one thread; allocates nothing while it waits.
public struct SourceWaiter {
    /// The events that end the sleep, besides the wake signal and the deadline.
    public enum Interest: Sendable {
        case sources
        /// While nothing is read: only sources that lose unread frames.
        case drained
        /// Between two frames: a mouse may report a thousand moves a second, which must not end the sleep.
        case nothing
    }

    private let wake: WakeSignal
    private let descriptors: [Int32]
    /// The descriptors of sources that lose unread frames.
    private let drained: [Int32]
    /// The wake signal, then the sources.
    private var entries: [pollfd]

    /// - Parameters:
    ///   - descriptors: of the sources, or of their openings.
    ///   - drained: those whose events end a wait for `Interest.drained`.
    public init(wake: WakeSignal, descriptors: [Int32], drained: [Int32] = []) {
        self.wake = wake
        self.descriptors = descriptors
        self.drained = drained
        entries = ([wake.descriptor] + descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    }

    /// Sleeps until `interest` or the wake signal ends it, or CLOCK_MONOTONIC reaches `deadline` (nanoseconds; nil:
    /// none). Clears the wake signal.
    public mutating func wait(until deadline: Int64?, for interest: Interest) {
        for index in descriptors.indices {
            // poll ignores negative descriptors.
            entries[index + 1].fd = isAwaited(descriptors[index], interest) ? descriptors[index] : -1
        }
        WakeSignal.poll(&entries, until: deadline)
        if entries[0].revents != 0 { wake.clear() }
    }

    private func isAwaited(_ descriptor: Int32, _ interest: Interest) -> Bool {
        switch interest {
        case .sources: true
        case .drained: drained.contains(descriptor)
        case .nothing: false
        }
    }

    /// Whether the source with that index had events when the last wait ended.
    public func isReady(_ index: Int) -> Bool { entries[index + 1].revents != 0 }
}
