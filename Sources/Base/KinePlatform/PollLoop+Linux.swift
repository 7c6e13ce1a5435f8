// What a loop waits for, and the one poll in which it waits. Linux.
import Glibc

/// A part of a loop, which becomes ready by its descriptors or with time.
public protocol PollSource {
    /// The descriptors to poll and the events to wait for. Read before each wait. Entries with a negative descriptor are ignored.
    var pollEntries: [pollfd] { get }
    /// The latest instant at which the loop must process the part, in nanoseconds of CLOCK_MONOTONIC; nil: the part only waits for its
    /// descriptors.
    var nextDeadline: Int64? { get }
}

extension PollSource {
    public var pollEntries: [pollfd] { [] }
    public var nextDeadline: Int64? { nil }
}

/// A descriptor that a loop waits to read from. Its owner closes it.
public struct ReadableDescriptor: PollSource {
    public let descriptor: Int32

    public init(_ descriptor: Int32) { self.descriptor = descriptor }

    public var pollEntries: [pollfd] { [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)] }
}

public enum PollLoop {
    /// Sleeps until a descriptor is ready or a deadline is reached. Ignores parts and deadlines that are nil.
    ///
    /// - Parameter deadlines: further deadlines, in nanoseconds of CLOCK_MONOTONIC.
    public static func wait(for sources: (any PollSource)?..., until deadlines: Int64?...) {
        wait(for: sources, until: deadlines)
    }

    /// The same for parts in an array.
    public static func wait(for sources: [(any PollSource)?], until deadlines: [Int64?] = []) {
        let parts = sources.compactMap(\.self)
        var entries = parts.flatMap(\.pollEntries)
        WakeSignal.poll(&entries, until: (parts.map(\.nextDeadline) + deadlines).compactMap(\.self).min())
    }
}

extension WakeSignal: PollSource {
    public var pollEntries: [pollfd] { ReadableDescriptor(descriptor).pollEntries }
}

extension SignalDescriptor: PollSource {
    public var pollEntries: [pollfd] { ReadableDescriptor(descriptor).pollEntries }
}

extension Mailbox: PollSource {
    public var pollEntries: [pollfd] { ReadableDescriptor(descriptor).pollEntries }
}
