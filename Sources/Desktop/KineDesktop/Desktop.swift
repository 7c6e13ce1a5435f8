// A take's hold on the desktop. Nobody waits for it: requests are left for its thread, and what happens there is told from it.
import KinePlatform
import Synchronization
import SystemPackage

/// The desktop, over the buses of the user and the system. A machine without a bus, or a bus without the service that is asked,
/// does nothing of it, and is no error.
public final class Desktop: Sendable {
    public enum Event: Sendable, Equatable {
        /// The person has pressed this button of the indicator.
        case action(key: String)
        /// Whether the screen is locked: once it is known, then whenever it changes, and at the first word after `lockLost`.
        case screenLocked(Bool)
        /// The screen was locked, and the service that said so has gone, or its bus: it counts as locked until another one says
        /// something, which may never be.
        case lockLost
        /// What became of the question.
        case question(QuestionEvent)
        /// What became of the posted notification of that number.
        case posted(Int, PostEvent)
        /// Whether the application with that number was activated.
        case activated(Int, Bool)
    }

    public enum PostEvent: Sendable, Equatable {
        case shown
        /// Nobody shows it.
        case notShown
        /// It is gone: the person has closed it, or it had its time.
        case closed
        /// The person has clicked on it: a button's key, or `Notification.defaultAction`. `token`: the permission to come to the
        /// front, of desktops that give one.
        case activated(key: String, token: String?)
    }

    public enum QuestionEvent: Sendable, Equatable {
        case shown
        /// Nobody shows it, or not with its buttons.
        case notShown
        /// The person has closed it without an answer.
        case closed
        case answered(key: String)

        init(_ event: KeptNotification.Event) {
            self =
                switch event {
                case .shown: .shown
                case .notShown: .notShown
                case .closed: .closed
                case .pressed(let key): .answered(key: key)
                }
        }
    }

    enum Request: Sendable {
        case indicate(Notification?)
        case ask(Notification?)
        case inhibitSleep(SleepInhibition?)
        case watchLock
        case post(Notification, number: Int)
        case withdraw(Int)
        case activate(application: String, token: String?, number: Int)
    }

    private let mailbox = DesktopMailbox()

    /// Connects on a thread of its own. Nil where there is no bus, or no thread to be had.
    ///
    /// - Parameter tell: called on that thread.
    public init?(_ addresses: BusAddresses, tell: @escaping @Sendable (Event) -> Void) {
        guard addresses != BusAddresses(session: nil, system: nil) else { return nil }
        let mailbox = mailbox
        do throws(Errno) {
            _ = try DedicatedThread(starting: "desktop") {
                DesktopLoop(addresses, mailbox, tell: tell).run()
                mailbox.finish()
            }
        } catch {
            return nil
        }
    }

    /// Keeps this notification on the desktop, in place of the one before; nil takes it away.
    public func indicate(_ notification: Notification?) { mailbox.post(.indicate(notification)) }

    /// Asks the person something, beside the indicator; `question` tells what becomes of it. Nil withdraws it.
    public func ask(_ question: Notification?) { mailbox.post(.ask(question)) }

    /// Shows a notification that is the person's from then on, in place of the one with the same number; `posted` tells what becomes
    /// of it. It stays when the desktop is ended.
    public func post(_ notification: Notification, number: Int) { mailbox.post(.post(notification, number: number)) }

    /// Takes back a posted notification.
    public func withdraw(_ number: Int) { mailbox.post(.withdraw(number)) }

    /// Has the application with that desktop file's id show itself, if it can be asked on the bus; `activated` tells whether it was.
    public func activate(application: String, token: String?, number: Int) {
        mailbox.post(.activate(application: application, token: token, number: number))
    }

    /// Keeps the machine awake for this reason; nil lets it sleep.
    public func inhibitSleep(_ inhibition: SleepInhibition?) { mailbox.post(.inhibitSleep(inhibition)) }

    /// Has `screenLocked` told from now on. Once.
    public func watchLock() { mailbox.post(.watchLock) }

    /// Takes everything back and ends the thread. Returns when the desktop has done so, or CLOCK_MONOTONIC reaches `deadline`
    /// (nanoseconds).
    public func end(until deadline: Int64) {
        indicate(nil)
        ask(nil)
        inhibitSleep(nil)
        mailbox.end(until: deadline)
    }
}

/// The requests to a desktop's thread.
final class DesktopMailbox: Sendable {
    let requests = Mailbox<Desktop.Request>()
    private let hasFinished = Monitor(false)

    func post(_ request: Desktop.Request) { requests.post(request) }

    func end(until deadline: Int64) {
        requests.close()
        _ = hasFinished.wait(until: deadline) { $0 ? true : nil }
    }

    func finish() { hasFinished.signal { $0 = true } }
}
