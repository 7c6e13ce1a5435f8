// The monitors and windows of an X display that can be recorded.
import KineCapture
import KineMedia

/// The monitors and windows of an X display, as they are now.
public struct X11Inventory: Sendable, Equatable {
    public struct Monitor: Sendable, Equatable {
        /// RandR's name, which `--monitor` takes.
        public var name: String
        /// In the screen's coordinates.
        public var bounds: PixelRect
        public var isPrimary: Bool
    }

    public struct Window: Sendable, Equatable {
        /// The X id, which `--window` takes.
        public var id: UInt32
        public var title: String
        /// False where a part of the title is in a character set that is not known here.
        public var isTitleWhole = true
        /// WM_CLASS's class.
        public var application: String
        /// _NET_WM_PID, as the window's owner set it.
        public var processID: Int32?
        public var bounds: PixelRect
    }

    public let screen: PixelSize
    /// The reason why screen, monitors and regions cannot be recorded, though windows can; nil: they can.
    public let screenProblem: VideoSourceError?
    /// None where there is a `screenProblem`.
    public let monitors: [Monitor]
    /// The windows that the window manager lists, or where none runs, the top-level windows that are shown.
    public let windows: [Window]
    /// Whether the server is on this machine and shares memory with its clients.
    public let hasSharedMemory: Bool

    /// The window that is meant, on DISPLAY's server; nil: it is not shown. Throws where there is none, or more than one.
    public static func window(_ choice: X11ScreenSource.WindowChoice) throws(VideoSourceError) -> Window? {
        let connection = try X11Connection(display: nil)
        let id = try X11Layout.window(choice, on: connection)
        return X11Layout.windows(connection).first { $0.id == id }
    }

    /// Asks the server of that name; nil stands for DISPLAY's. Throws if there is none.
    public init(display: String? = nil) throws(VideoSourceError) {
        let connection = try X11Connection(display: display)
        screen = connection.initialSize
        screenProblem = connection.screenProblem
        monitors = screenProblem == nil ? X11Layout.monitors(connection) : []
        windows = X11Layout.windows(connection)
        hasSharedMemory = X11SharedMemory(1, on: connection) != nil
    }
}
