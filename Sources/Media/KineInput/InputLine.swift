// One line of a recording's input track: a JSON object (docs/input-track.md).
import FoundationEssentials
import KineMedia

/// What a person did, or what a sample says of its own beginning. Times are milliseconds from the beginning of the line's sample,
/// places are pixels of the picture.
public enum InputLine: Equatable, Sendable {
    /// The first line of every sample.
    case state(InputState)
    /// An image of the pointer that lines name.
    case image(InputImage)
    /// The pointer was at `from`, and moved by steps.
    case way(at: Int, from: PixelPoint, steps: [InputStep])
    /// The pointer has left the picture, or is hidden.
    case pointerLeft(at: Int)
    /// The pointer has another image; nil: one that is not recorded.
    case pointerImage(String?, at: Int)
    case press(PointerButton, at: Int, PixelPoint)
    case release(PointerButton, at: Int, PixelPoint)
    /// Steps of the wheel: right and down are positive.
    case scroll(x: Int, y: Int, at: Int)
    /// Something was typed. The bounds are whole half seconds of the take; the first may be before the sample.
    case typing(Range<Int>)
    /// The window that has the keyboard; nil: none in the picture.
    case focus(PixelRect?, at: Int)
    /// The picture has changed there.
    case change([PixelRect], at: Int)
}

/// The pointer, its buttons and the focus when a sample begins.
public struct InputState: Equatable, Sendable {
    /// The picture's.
    public var size: PixelSize
    /// Nil: it is not in the picture, hidden or unknown.
    public var pointer: PixelPoint?
    /// The name of the pointer's image; nil: it is not recorded.
    public var image: String?
    public var focus: PixelRect?
    /// The buttons that are down, in the order of their presses.
    public var held: [PointerButton] = []

    public init(size: PixelSize) { self.size = size }
}

public struct InputImage: Equatable, Sendable {
    public var name: String
    /// The pixel of the image at the pointer's place.
    public var hotspot: PixelPoint
    /// PNG.
    public var bytes: [UInt8]

    public init(name: String, hotspot: PixelPoint, bytes: [UInt8]) {
        (self.name, self.hotspot, self.bytes) = (name, hotspot, bytes)
    }
}

public struct InputStep: Equatable, Sendable {
    /// Milliseconds since the step before.
    public var after: Int
    /// Pixels to the right and down.
    public var x: Int
    public var y: Int

    public init(after: Int, x: Int, y: Int) { (self.after, self.x, self.y) = (after, x, y) }
}

extension InputLine {
    /// The version of the lines' form. It changes when older readers would misread a line.
    static let version = 1

    /// A sample's text: a line each, and each with its end.
    public static func text(of lines: [InputLine]) -> [UInt8] {
        let encoder = JSONEncoder()
        // The same lines are the same bytes.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return lines.flatMap { line in ((try? encoder.encode(line)).map(Array.init) ?? []) + [UInt8(ascii: "\n")] }
    }

    /// The lines of a sample. Lines of an unknown form are left out; nil: the sample does not begin with a state of this version.
    public static func lines(of text: [UInt8]) -> [InputLine]? {
        let decoder = JSONDecoder()
        var lines: [InputLine] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            if let line = try? decoder.decode(InputLine.self, from: Data(line)) { lines.append(line) }
            guard case .state = lines.first else { return nil }
        }
        return lines.isEmpty ? nil : lines
    }
}
