// The studio's own windows. One that left the screen for a recording comes back, and a recording that a window has begun is shown when it
// has ended.
import Glibc
import KineClient
import KinePlatform

/// Used on one thread.
final class StudioWindows: PollSource {
    enum Content: Equatable {
        /// The choice of what to record.
        case form
        /// A recording, by its ID in the library.
        case recording(String)
    }

    /// What the pages do for a recording that waits until they have left the screen.
    enum Departure {
        case awaited
        /// A page that said that it closes itself is gone.
        case gone
        /// It could not close itself.
        case stays
        /// The person has closed the last one.
        case closed
    }

    /// The browser of the newest window that was opened here, if one was started.
    var browser: WindowWatch?
    /// Connected pages.
    private(set) var pages = 0
    private(set) var departure = Departure.awaited
    private let makeWindow: (Content) -> WindowWatch?
    /// Whether the last page has said that it closes itself for a recording.
    private var isLeaving = false
    /// What to show once that page is gone.
    private var awaited: Content?
    /// As the engine of a running take says it.
    private var isLocked = false

    /// - Parameter makeWindow: opens a window; nil: it cannot.
    init(_ makeWindow: @escaping (Content) -> WindowWatch?) { self.makeWindow = makeWindow }

    var pollEntries: [pollfd] { browser?.pollEntries ?? [] }
    var nextDeadline: Int64? { browser?.nextDeadline }

    func process(at now: Int64) { browser?.process(at: now) }

    /// Another recording waits.
    func awaitDeparture() { (isLeaving, departure) = (false, .awaited) }

    /// A page says that it closes itself, or that it could not.
    func leave(_ isLeaving: Bool) {
        if self.isLeaving, !isLeaving, departure == .awaited { departure = .stays }
        self.isLeaving = isLeaving
    }

    /// - Parameter count: of connected pages.
    func update(pages count: Int) {
        if departure == .awaited, count < pages, isLeaving || count == 0 { departure = isLeaving ? .gone : .closed }
        // The person has opened a window themselves.
        if count > pages { (isLeaving, awaited) = (false, nil) }
        pages = count
        if count == 0, let content = awaited.take() { open(content) }
    }

    func received(_ notice: TakeNotice) {
        if [.locked, .unlocked].contains(notice.kind) { isLocked = notice.kind == .locked }
    }

    /// A recording that a window has begun has not begun: the person sees why, and chooses again.
    func recordingFailed() { if isLeaving { show(.form) } }

    /// - Parameters:
    ///   - recording: the ID of a recording that a window has begun and that has ended; nil: there is no file.
    ///   - isAlone: whether no other take runs. In another take's picture, or below the lock, the notification that it is
    ///     saved has to do.
    func recordingEnded(_ recording: String?, isAlone: Bool) {
        if isAlone, !isLocked { show(recording.map { .recording($0) } ?? .form) }
    }

    /// No take runs any more.
    func allTakesEnded() { isLocked = false }

    /// An open window shows it itself.
    private func show(_ content: Content) {
        if pages == 0 { return open(content) }
        if isLeaving { awaited = content }
    }

    private func open(_ content: Content) { browser = makeWindow(content) ?? browser }
}
