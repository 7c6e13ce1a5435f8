// What the desktop's portal is asked for. org.freedesktop.portal.ScreenCast, "SelectSources".

/// A screen cast that a person is asked to permit. The portal lets them choose which monitor or window it is.
public struct ScreenCastRequest: Codable, Sendable, Equatable {
    public enum Target: String, Codable, Sendable, CaseIterable {
        case monitor
        case window

        /// The portal's bit for it, in `AvailableSourceTypes` and `types`.
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
    /// It is part of the frames.
    case embedded
    /// Its place and its picture come beside the frames.
    case metadata

    /// The portal's bit for it, in `AvailableCursorModes` and `cursor_mode`.
    package var flag: UInt32 {
        switch self {
        case .hidden: 1
        case .embedded: 2
        case .metadata: 4
        }
    }
}
