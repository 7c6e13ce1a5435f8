// One descriptor that stands for several, for an API that returns only one. Linux: epoll(7).
import CLinux
import Glibc
import SystemPackage

/// A descriptor for poll that is readable while any of its members is. Used by one thread.
public final class DescriptorSet {
    /// For poll; owned by this object.
    public let descriptor: Int32

    public init() throws(Errno) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
    }

    deinit { close(descriptor) }

    /// Adds a descriptor; the caller keeps it. Closing it removes it, unless a duplicate is still open.
    public func insert(_ member: Int32) throws(Errno) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        guard epoll_ctl(descriptor, EPOLL_CTL_ADD, member, &event) == 0 else { throw Errno(rawValue: errno) }
    }

    public func remove(_ member: Int32) { _ = epoll_ctl(descriptor, EPOLL_CTL_DEL, member, nil) }
}
