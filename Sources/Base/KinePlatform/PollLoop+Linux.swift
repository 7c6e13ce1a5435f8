// What a loop waits for, and the one poll in which it waits. Linux.
import Glibc

/// A part of a loop, which becomes ready by its descriptors or with time.
public protocol PollSource {
    /// For poll, anew before each wait. A negative descriptor is ignored.
    var pollEntries: [pollfd] { get }
    /// The latest instant to process the part, nanoseconds of CLOCK_MONOTONIC; nil: only its descriptors are a reason.
    var nextDeadline: Int64? { get }
}

extension PollSource {
    public var pollEntries: [pollfd] { [] }
    public var nextDeadline: Int64? { nil }
}

/// A descriptor of which a loop reads, owned by somebody else.
public struct ReadableDescriptor: PollSource {
    public let descriptor: Int32

    public init(_ descriptor: Int32) { self.descriptor = descriptor }

    public var pollEntries: [pollfd] { [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)] }
}

public enum PollLoop {
    /// Sleeps until a part is ready or due. Parts and instants that are nil are ignored.
    ///
    /// - Parameter deadlines: instants of the loop's own, nanoseconds of CLOCK_MONOTONIC.
    public static func wait(for sources: (any PollSource)?..., until deadlines: Int64?...) {
        wait(for: sources, until: deadlines)
    }

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
