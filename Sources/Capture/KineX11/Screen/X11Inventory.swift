// The monitors and windows of an X display that can be recorded.
import KineCapture
import KineMedia

/// The current monitors and windows of an X display.
public struct X11Inventory: Sendable, Equatable {
    public struct Window: Sendable, Equatable {
        /// The X ID, for `--window`.
        public var id: UInt32
        public var title: String
        /// False if a part of the title is in an unknown character set.
        public var isTitleWhole = true
        /// WM_CLASS's class.
        public var application: String
        /// _NET_WM_PID, as set by the window's owner.
        public var processID: Int32?
        public var bounds: PixelRect
    }

    public let screen: PixelSize
    /// Why screen, monitors and regions cannot be recorded, although windows can; nil: they can.
    public let screenProblem: VideoSourceError?
    /// By RandR's names, in the screen's coordinates. Empty if there is a `screenProblem`.
    public let monitors: [SourceList.Monitor]
    /// The windows in the window manager's list, or without one, the shown top-level windows.
    public let windows: [Window]
    /// Whether the server is on this machine and shares memory with its clients.
    public let hasSharedMemory: Bool

    /// The chosen window on DISPLAY's server; nil: it is not shown. Throws if there is none, or more than one.
    public static func window(_ choice: X11ScreenSource.WindowChoice) throws(VideoSourceError) -> Window? {
        let connection = try X11Connection(display: nil)
        let id = try X11Layout.window(choice, on: connection)
        return X11Layout.windows(connection).first { $0.id == id }
    }

    /// The monitors of DISPLAY's server; empty if it cannot be asked.
    public static func findMonitors() -> [SourceList.Monitor] {
        (try? X11Connection(display: nil)).map { X11Layout.monitors($0) } ?? []
    }

    /// What a take of the screen lacks, in one sentence; nil: nothing.
    public let shortcoming: String?
    /// Whether a take can show what lies beneath windows that it leaves out: the server and the background allow it.
    public let canShowBeneath: Bool

    /// Asks the server of that name; nil: DISPLAY. Throws if there is no such server.
    public init(display: String? = nil) throws(VideoSourceError) {
        let connection = try X11Connection(display: display)
        screen = connection.initialSize
        screenProblem = connection.screenProblem
        monitors = screenProblem == nil ? X11Layout.monitors(connection) : []
        windows = X11Layout.windows(connection)
        hasSharedMemory = X11SharedMemory(1, on: connection) != nil
        shortcoming = connection.shortcoming
        canShowBeneath = X11Beneath.isPossible(on: connection)
    }
}
