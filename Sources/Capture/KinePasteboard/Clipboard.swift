// The clipboard of an X display or a Wayland compositor, for programs without a window. A separate thread owns the
// selection, and answers pasting programs until this process ends.
import KinePlatform
import SystemPackage

/// The selection CLIPBOARD of an X display, or the selection of a Wayland compositor's first seat.
///
/// Other programs paste a text from here as usual. A member of a group also offers the type
/// `application/x-kinecast-group`: the group's identifier, a line feed, and the text. They are sent together, so that
/// no other owner's text can be mistaken for it.
public final class Clipboard: Sendable {
    public enum Place: Equatable, Sendable, CustomStringConvertible {
        /// An X display, by its name in DISPLAY.
        case x11(display: String)
        /// A Wayland compositor, by its name in WAYLAND_DISPLAY.
        case wayland(display: String)

        public var description: String {
            switch self {
            case .x11(let display), .wayland(let display): display
            }
        }
    }

    public enum Error: Swift.Error, Equatable, Sendable {
        /// The display does not answer, or has ended.
        case noConnection(Place)
        /// The compositor has no data-control protocol: only windows can use the clipboard.
        case notSupported(Place)
        /// libwayland-client is not installed.
        case noLibrary
        /// Another program took the clipboard at the same moment.
        case notOwned
        /// The owner of the clipboard does not answer.
        case noAnswer
        /// The text is longer than `textLimit`.
        case tooLong
        /// `end` was called before.
        case ended
    }

    public typealias Answer<Value> = @Sendable (Result<Value, Error>) -> Void

    /// The most bytes of a text.
    public static let textLimit = 1 << 20
    /// The type (X: target) that only Kinecast's programs offer.
    public static let groupType = "application/x-kinecast-group"

    enum Request: Sendable {
        case own(ClipboardText, Answer<Void>)
        /// Nil if the clipboard is empty, or its owner is not a member of a group.
        case read(Answer<ClipboardText?>)
    }

    struct State {
        /// The thread's deadline once `end` was called (CLOCK_MONOTONIC, nanoseconds).
        var ending: Int64?
        var hasFinished = false
        /// There is no connection with a display any more.
        var isOver = false
    }

    private let requests = Mailbox<Request>()
    private let state = Monitor(State())

    /// Starts a thread, which connects to the first of the places that has a clipboard. Requests wait until then.
    /// Throws if the thread cannot be started.
    public init(_ places: [Place]) throws(Errno) {
        let (requests, state) = (requests, state)
        _ = try DedicatedThread(starting: "clipboard") {
            ClipboardLoop(requests: requests, state: state).run(places)
            requests.close()
            for request in requests.drain() { request.fail(.ended) }
            state.signal { $0.hasFinished = true }
        }
    }

    /// Puts a text on the clipboard until another program replaces it. `answer` is called on the thread.
    public func own(_ text: ClipboardText, answer: @escaping Answer<Void>) {
        guard text.text.utf8.count <= Self.textLimit else { return answer(.failure(.tooLong)) }
        post(.own(text, answer))
    }

    /// Reads a text of a group's member, in this process or another. `answer` is called on the thread. Gives up if the
    /// owner sends nothing for three seconds.
    public func read(answer: @escaping Answer<ClipboardText?>) { post(.read(answer)) }

    /// No display has a clipboard, or it has ended: connect again with a new object.
    public var isOver: Bool { state.withLock { $0.isOver } }

    private func post(_ request: Request) {
        if !requests.post(request) { request.fail(.ended) }
    }

    /// Leaves the text to the X display's clipboard manager, if any (Wayland's copy each text at once), and ends the
    /// thread. Returns when that is done, or CLOCK_MONOTONIC reaches `deadline` (nanoseconds). Later requests fail.
    public func end(until deadline: Int64) {
        state.withLock { $0.ending = deadline }
        requests.close()
        _ = state.wait(until: deadline) { $0.hasFinished ? true : nil }
    }
}
