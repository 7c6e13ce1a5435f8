// One descriptor that stands for several, for an API that returns only one. Linux: epoll(7).
import CLinux
import Glibc
import SystemPackage

/// A descriptor for poll that is readable while any of its members is. The caller keeps these; closing one removes it,
/// unless a duplicate is still open. Used by one thread.
public final class DescriptorSet {
    /// For poll; owned by this object.
    public let descriptor: Int32

    /// The member that the next one replaces.
    private var followed: Int32?

    public init() throws(VideoSourceError) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw .noDescriptor(Errno(rawValue: errno)) }
    }

    deinit { close(descriptor) }

    /// Throws `.noDescriptor`.
    public func insert(_ member: Int32) throws(VideoSourceError) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        guard epoll_ctl(descriptor, EPOLL_CTL_ADD, member, &event) == 0 else {
            throw .noDescriptor(Errno(rawValue: errno))
        }
    }

    /// Removes the member that the last call added, which may be closed already, and adds `next`. A negative `next` only
    /// removes.
    public func follow(_ next: Int32) throws(VideoSourceError) {
        unfollow()
        guard next >= 0 else { return }
        try insert(next)
        followed = next
    }

    public func unfollow() { if let last = followed.take() { remove(last) } }

    /// Does nothing if the descriptor is not a member.
    public func remove(_ member: Int32) { _ = epoll_ctl(descriptor, EPOLL_CTL_DEL, member, nil) }
}
