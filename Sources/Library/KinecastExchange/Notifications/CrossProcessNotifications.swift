// Notifications between the processes of a group. Each name is an empty file in the group's directory; opening it for
// writing and closing it notifies all watchers through the kernel. No data is written, and no bus is needed.
import Glibc
import KineText
import SystemPackage

/// Notifies all processes of a group, without any data. Recipients read the new state in `SharedDefaults` or in the
/// container.
///
/// Every listening process gets a notification, also the one that posts it. Several unread ones count as one;
/// occasionally one comes without a post. None posted after `notifications(named:)` has returned is lost.
public struct CrossProcessNotifications: Sendable {
    public let group: GroupContainer
    private let directory: FilePath

    public init(group: GroupContainer) {
        self.group = group
        directory = group.internals.appending("notifications")
    }

    /// Notifies all listeners of the name. Does not wait for them.
    ///
    /// - Parameter name: at most 200 bytes, without `/` and not beginning with a dot: "broadcast.paused" …
    public func post(_ name: String) throws(GroupError) {
        guard name.isGroupFileName else { throw .invalidName(name) }
        let file = open("\(directory)/\(name)".cString, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard file >= 0 else { throw .system(operation: "Posting \(name)", .last) }
        close(file)
    }

    /// Calls a handler for each notification until the returned observation is released.
    ///
    ///     observation = try notifications.observe("broadcast.paused") { isPaused.store(true, ordering: .relaxed) }
    ///
    /// Faster than a loop: the handler runs on the thread that receives the notification. All observations of this
    /// process share that thread, so a slow handler delays the others. One call may still come after the release.
    ///
    /// - Parameters:
    ///   - name: as for `post(_:)`.
    ///   - handler: called for each notification, or once for several that arrive while it runs.
    public func observe(_ name: String, handler: @escaping @Sendable () -> Void) throws(GroupError) -> Observation {
        guard name.isGroupFileName else { throw .invalidName(name) }
        return Observation(
            watch: try GroupWatcher.shared.watch(directory) { change in
                switch change {
                case .written(name), .several: handler()
                case .written, .removed: break
                }
            })
    }

    /// Ends when it is released.
    public final class Observation: Sendable {
        private let watch: GroupWatcher.Watch
        fileprivate init(watch: GroupWatcher.Watch) { self.watch = watch }
    }

    /// The notifications of a name from now on, until the sequence is released.
    public func notifications(named name: String) throws(GroupError) -> Coalesced<Void> {
        guard name.isGroupFileName else { throw .invalidName(name) }
        return try Coalesced(watching: directory) { change in
            switch change {
            case .written(name), .several: ()
            case .written, .removed: nil
            }
        } replaces: { _, _ in
            true
        }
    }
}
