// What an export makes of a recording, as values. They are kept as JSON in NAME.edits.json beside the recording (docs/edits.md). The
// recording itself is never changed.

/// A part of a recording, in seconds from its beginning.
public protocol EditRange {
    var from: Double { get }
    /// The end, which is not in the range any more.
    var to: Double { get }
}

/// The edits of one recording. They may come from a file: only those that `validate` accepts are used.
public struct FilmEdits: Equatable, Sendable {
    /// The version of the form. It changes when older readers would misread it.
    public static let version = 1

    /// Grows by one with each save, so that nobody overwrites another's.
    public var revision = 0
    /// What the film leaves out. Ranges may overlap.
    public var cuts: [Cut] = []
    public var speeds: [Speed] = []
    /// In the order of their beginnings.
    public var zooms: [Zoom] = []
    /// Only of a recording whose pointer is not in its picture.
    public var pointer = Pointer()
    /// Whether clicks are shown that the recording itself does not show.
    public var showsClicks = false
    /// Nil: the picture fills the film.
    public var background: Background?
    /// The film is not larger; nil: as large as what it shows of the recording.
    public var size: PixelSize?
    /// Nil: the recording's shape.
    public var shape: Shape?

    public init() {}

    public struct Cut: EditRange, Codable, Equatable, Sendable {
        public var from: Double
        public var to: Double

        public init(from: Double, to: Double) { (self.from, self.to) = (from, to) }
    }

    public struct Speed: EditRange, Codable, Equatable, Sendable {
        public var from: Double
        public var to: Double
        /// Seconds of the recording that a second of the film shows.
        public var speed: Double

        public init(from: Double, to: Double, speed: Double) { (self.from, self.to, self.speed) = (from, to, speed) }
    }

    public struct Zoom: EditRange, Codable, Equatable, Sendable {
        /// Where the film begins to zoom in.
        public var from: Double
        /// Where it begins to zoom out.
        public var to: Double
        public var scale: Double
        /// The middle of what is shown, as parts of the picture's width and height; nil: it follows the pointer.
        public var centre: [Double]?
        /// Why it was made; nil: a person made or changed it.
        public var reason: Reason?

        public init(from: Double, to: Double, scale: Double, centre: [Double]? = nil, reason: Reason? = nil) {
            (self.from, self.to, self.scale, self.centre, self.reason) = (from, to, scale, centre, reason)
        }
    }

    /// What an automatic zoom shows.
    public enum Reason: String, Codable, Sendable {
        case clicks, typing
        /// The pointer stayed; clicks are not known.
        case dwelling
        /// Small parts of the picture changed; neither clicks nor the pointer are known.
        case changes
    }

    public struct Pointer: Codable, Equatable, Sendable {
        /// Times the recorded size.
        public var scale = 1.0
        /// From 0, exactly as it was moved, to 1.
        public var smoothing = 0.5

        public init() {}
    }

    /// What is around the picture.
    public struct Background: Codable, Equatable, Sendable {
        /// One colour, or two of a gradient: `#rrggbb`.
        public var colours: [String]?
        /// The gradient's direction, in degrees clockwise from upwards.
        public var angle: Double?
        /// The path of a picture that fills the film, from the folder of the edits.
        public var picture: String?
        /// At each side, as a part of the film's shorter side.
        public var padding = 0.06
        /// The radius of the picture's corners, likewise.
        public var corners = 0.02
        /// The darkness of the picture's shadow, from 0 to 1.
        public var shadow = 0.4

        public init() {}
    }

    public enum Shape: String, Codable, CaseIterable, Sendable {
        case wide = "16:9"
        case square = "1:1"
        case tall = "9:16"

        /// Width by height.
        public var ratio: Double {
            switch self {
            case .wide: 16.0 / 9
            case .square: 1
            case .tall: 9.0 / 16
            }
        }
    }
}

// A key that is missing has its value of an edit that changes nothing.
extension FilmEdits: Codable {
    private enum Key: String, CodingKey {
        case version, revision, cuts, speeds, zooms, pointer, clicks, background, size, shape
    }

    public init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Key.self)
        guard try object.decode(Int.self, forKey: .version) == Self.version else {
            throw DecodingError.dataCorruptedError(forKey: .version, in: object, debugDescription: "another version")
        }
        revision = try object.decode(Int.self, forKey: .revision)
        cuts = try object.decodeIfPresent([Cut].self, forKey: .cuts) ?? []
        speeds = try object.decodeIfPresent([Speed].self, forKey: .speeds) ?? []
        zooms = try object.decodeIfPresent([Zoom].self, forKey: .zooms) ?? []
        pointer = try object.decodeIfPresent(Pointer.self, forKey: .pointer) ?? Pointer()
        showsClicks = try object.decodeIfPresent(Bool.self, forKey: .clicks) ?? false
        background = try object.decodeIfPresent(Background.self, forKey: .background)
        if let sides = try object.decodeIfPresent([Int].self, forKey: .size) {
            // Other counts are refused with other sizes.
            size = PixelSize(width: sides.first ?? 0, height: sides.count == 2 ? sides[1] : 0)
        }
        shape = try object.decodeIfPresent(Shape.self, forKey: .shape)
    }

    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(Self.version, forKey: .version)
        try object.encode(revision, forKey: .revision)
        if !cuts.isEmpty { try object.encode(cuts, forKey: .cuts) }
        if !speeds.isEmpty { try object.encode(speeds, forKey: .speeds) }
        if !zooms.isEmpty { try object.encode(zooms, forKey: .zooms) }
        if pointer != Pointer() { try object.encode(pointer, forKey: .pointer) }
        if showsClicks { try object.encode(true, forKey: .clicks) }
        try object.encodeIfPresent(background, forKey: .background)
        try object.encodeIfPresent(size.map { [$0.width, $0.height] }, forKey: .size)
        try object.encodeIfPresent(shape, forKey: .shape)
    }
}

extension FilmEdits.Pointer {
    private enum CodingKeys: String, CodingKey { case scale, smoothing }

    public init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        scale = try object.decodeIfPresent(Double.self, forKey: .scale) ?? scale
        smoothing = try object.decodeIfPresent(Double.self, forKey: .smoothing) ?? smoothing
    }
}

extension FilmEdits.Background {
    private enum CodingKeys: String, CodingKey { case colours, angle, picture, padding, corners, shadow }

    public init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        colours = try object.decodeIfPresent([String].self, forKey: .colours)
        angle = try object.decodeIfPresent(Double.self, forKey: .angle)
        picture = try object.decodeIfPresent(String.self, forKey: .picture)
        padding = try object.decodeIfPresent(Double.self, forKey: .padding) ?? padding
        corners = try object.decodeIfPresent(Double.self, forKey: .corners) ?? corners
        shadow = try object.decodeIfPresent(Double.self, forKey: .shadow) ?? shadow
    }
}
