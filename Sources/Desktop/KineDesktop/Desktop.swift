// A take's access to the desktop. Requests go to the desktop's thread, which reports events; no caller waits for it.
import KinePlatform
import SystemPackage

/// The desktop, by the user's bus and the system's. Without a bus or a service, requests to it have no effect, which is
/// no error.
public final class Desktop: Sendable {
    public enum Event: Sendable, Equatable {
        /// The person has pressed this button of the indicator.
        case action(key: String)
        /// Whether the screen is locked: sent when known, on each change, and on the first report after `lockLost`.
        case screenLocked(Bool)
        /// The service that reported the lock has ended, or its bus. The screen counts as locked until another service
        /// reports, which may never happen.
        case lockLost
        case question(QuestionEvent)
        /// An event of the posted notification with that number.
        case posted(Int, PostEvent)
        /// Whether the application of the request with that number was activated.
        case activated(Int, Bool)
    }

    public enum PostEvent: Sendable, Equatable {
        case shown
        /// The desktop does not show it.
        case notShown
        /// Closed by the person, or expired.
        case closed
        /// The person has clicked on it: a button's key, or `Notification.defaultAction`. `token`: the permission to
        /// come to the front, if the desktop gives one.
        case activated(key: String, token: String?)
    }

    public enum QuestionEvent: Sendable, Equatable {
        case shown
        /// The desktop does not show it, or not its buttons.
        case notShown
        /// The person has closed it without an answer.
        case closed
        case answered(key: String)
    }

    enum Request: Sendable {
        case indicate(Notification?)
        case ask(Notification?)
        case inhibitSleep(SleepInhibition?)
        case watchLock(isWayland: Bool)
        case post(Notification, number: Int)
        case withdraw(Int)
        case activate(application: String, token: String?, number: Int)
    }

    private let requests = Mailbox<Request>()
    private let hasFinished = Monitor(false)

    /// Connects, on its own thread. Nil without a bus, or if no thread can be started.
    ///
    /// - Parameter tell: called on that thread.
    public init?(_ addresses: BusAddresses, tell: @escaping @Sendable (Event) -> Void) {
        guard addresses != BusAddresses(session: nil, system: nil) else { return nil }
        let (requests, hasFinished) = (requests, hasFinished)
        do throws(Errno) {
            _ = try DedicatedThread(starting: "desktop") {
                DesktopLoop(addresses, requests, tell: tell).run()
                hasFinished.signal { $0 = true }
            }
        } catch {
            return nil
        }
    }

    /// Shows this notification until the next call, in place of the previous one; nil removes it.
    public func indicate(_ notification: Notification?) { requests.post(.indicate(notification)) }

    /// Asks the person a question, beside the indicator; the answer comes as `question`. Nil withdraws the question.
    public func ask(_ question: Notification?) { requests.post(.ask(question)) }

    /// Shows a notification, in place of an earlier one with the same number. Its events come as `posted`. It stays
    /// after `end`.
    public func post(_ notification: Notification, number: Int) { requests.post(.post(notification, number: number)) }

    public func withdraw(_ number: Int) { requests.post(.withdraw(number)) }

    /// Asks the application with that desktop file's ID to show itself, by D-Bus; the result comes as `activated`.
    public func activate(application: String, token: String?, number: Int) {
        requests.post(.activate(application: application, token: token, number: number))
    }

    /// Keeps the machine awake for this reason; nil lets it sleep.
    public func inhibitSleep(_ inhibition: SleepInhibition?) { requests.post(.inhibitSleep(inhibition)) }

    /// Starts to report `screenLocked`. Call once.
    public func watchLock(isWayland: Bool = ProcessEnvironment.value("WAYLAND_DISPLAY") != nil) {
        requests.post(.watchLock(isWayland: isWayland))
    }

    /// Removes the indicator, the question and the inhibition, and ends the thread. Returns when that is done, or when
    /// CLOCK_MONOTONIC reaches `deadline` (nanoseconds).
    public func end(until deadline: Int64) {
        indicate(nil)
        ask(nil)
        inhibitSleep(nil)
        requests.close()
        _ = hasFinished.wait(until: deadline) { $0 ? true : nil }
    }
}
