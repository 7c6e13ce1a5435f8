// A request to the desktop's portal. org.freedesktop.portal.ScreenCast, "SelectSources".

/// A screen cast that needs a person's permission. In the portal's dialog they choose the monitor or window.
public struct ScreenCastRequest: Codable, Sendable, Equatable {
    public enum Target: String, Codable, Sendable, CaseIterable {
        case monitor
        case window

        /// The portal's bit for the target, in `AvailableSourceTypes` and `types`.
        package var sourceType: UInt32 {
            switch self {
            case .monitor: 1
            case .window: 2
            }
        }
    }

    public var target: Target
    public var showsCursor: Bool

    public init(_ target: Target, showsCursor: Bool) {
        self.target = target
        self.showsCursor = showsCursor
    }
}

/// How a stream shows the cursor.
public enum CursorMode: String, Codable, Sendable, CaseIterable {
    case hidden
    /// Drawn into the frames.
    case embedded
    /// Sent beside the frames, as a position and an image.
    case metadata

    /// The portal's bit for the mode, in `AvailableCursorModes` and `cursor_mode`.
    package var flag: UInt32 {
        switch self {
        case .hidden: 1
        case .embedded: 2
        case .metadata: 4
        }
    }
}

/// A stream that the person has permitted. Positions and sizes are the compositor's, not always pixels of the frames.
///
/// The portal returns it from "Start" (org.freedesktop.portal.ScreenCast).
public struct ScreenCastStream: Codable, Sendable, Equatable {
    public struct Position: Codable, Sendable, Equatable {
        public var x: Int32
        public var y: Int32

        public init(x: Int32, y: Int32) { (self.x, self.y) = (x, y) }
    }

    public struct Size: Codable, Sendable, Equatable {
        public var width: Int32
        public var height: Int32

        public init(width: Int32, height: Int32) { (self.width, self.height) = (width, height) }
    }

    /// The number of the PipeWire node.
    public var node: UInt32
    /// PipeWire's serial number of the node, never reused (`pipewire-serial`); nil: the portal does not send it.
    public var serial: UInt64?
    /// A monitor's position in the desktop; nil: the portal does not send it.
    public var position: Position?
    public var size: Size?
    /// The kind of source; nil: the portal does not send it, or sends a kind that was not requested
    /// (xdg-desktop-portal-wlr 0.7 calls monitors windows).
    public var target: ScreenCastRequest.Target?
    /// The requested mode, which is one that the portal offers.
    public var cursorMode: CursorMode
}
