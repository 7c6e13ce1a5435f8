// The studio's own windows: how many are open, and the browser that opens the next one.
import Glibc
import KineClient
import KinePlatform

/// Used on one thread.
final class StudioWindows: PollSource {
    /// The browser of the newest window that was opened here, if one was started.
    var browser: WindowWatch?
    private let makeWindow: (ReturningWindow.Content) -> WindowWatch?
    private var returning = ReturningWindow()
    /// As the engine of a running take says it.
    private var isLocked = false

    /// - Parameter makeWindow: opens a window; nil: it cannot.
    init(_ makeWindow: @escaping (ReturningWindow.Content) -> WindowWatch?) { self.makeWindow = makeWindow }

    var pollEntries: [pollfd] { browser?.pollEntries ?? [] }
    var nextDeadline: Int64? { browser?.nextDeadline }

    /// Connected pages.
    var pages: Int { returning.pages }

    /// As of `ReturningWindow`.
    var departure: ReturningWindow.Departure { returning.departure }
    func awaitDeparture() { returning.awaitDeparture() }

    func process(at now: Int64) { browser?.process(at: now) }

    /// As of `ReturningWindow`.
    func leave(_ isLeaving: Bool) { returning.leave(isLeaving) }

    /// - Parameter count: of connected pages.
    func update(pages count: Int) { open(returning.update(pages: count)) }

    func received(_ notice: TakeNotice) {
        if [.locked, .unlocked].contains(notice.kind) { isLocked = notice.kind == .locked }
    }

    /// A recording that a window has begun has not begun: the person sees why, and chooses again.
    func recordingFailed() { if returning.isLeaving { open(returning.show(.form)) } }

    /// - Parameters:
    ///   - recording: the ID of a recording that a window has begun and that has ended; nil: there is no file.
    ///   - isAlone: whether no other take runs. In another take's picture, or below the lock, the notification that it is
    ///     saved has to do.
    func recordingEnded(_ recording: String?, isAlone: Bool) {
        if isAlone, !isLocked { open(returning.show(recording.map { .recording($0) } ?? .form)) }
    }

    /// No take runs any more.
    func allTakesEnded() { isLocked = false }

    private func open(_ content: ReturningWindow.Content?) {
        if let content { browser = makeWindow(content) ?? browser }
    }
}
