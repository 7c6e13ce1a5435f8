// What a scene is: frames numbered from zero, each of which can be painted from nothing, or made from the one before
// as an X client would change its window.
import KineMedia

/// A series of known frames. Painting is a function of the frame's number alone.
public protocol Scene: AnyObject {
    /// When frame `number` is due, in nanoseconds after frame 0; nil where the series has ended before it.
    func instant(of number: Int) -> Int64?
    /// Paints all of frame `number`, whatever was on the canvas. The canvas has the scene's size.
    func paint(_ number: Int, on canvas: Canvas)
    /// Turns frame `number` − 1, which is on the canvas, into frame `number`, and says what a window needs to follow.
    func advance(to number: Int, on canvas: Canvas) -> [DrawStep]
    /// When a beep begins together with frame `number`; the scenes without audio have none.
    func beeps(at number: Int) -> Bool
}

/// One request to an X server.
public enum DrawStep: Equatable, Sendable {
    /// The canvas's pixels of this part go to the same place in the window.
    case put(PixelRect)
    /// The window moves this part of itself up by `rows`.
    case scrollUp(PixelRect, rows: Int)
}

extension Scene {
    public func beeps(at number: Int) -> Bool { false }

    /// A scene that changes everything paints the whole frame and sends it as one request.
    public func advance(to number: Int, on canvas: Canvas) -> [DrawStep] {
        paint(number, on: canvas)
        return [.put(canvas.bounds)]
    }
}

/// The scenes by the name that the command line takes.
public enum SceneKind: String, CaseIterable, Sendable {
    /// A page of text that never changes.
    case idle
    /// Ten keys a second in that page, with a caret.
    case typing
    /// A terminal over the right half that scrolls by a line every frame.
    case scroll
    /// A video of 640×360 in the page.
    case video
    /// The whole screen moves every frame.
    case motion
    /// Every pixel is another in every frame: nothing is harder to encode.
    case noise
    /// Colour bars of known values, still.
    case bars
    /// The whole screen flashes, and a beep begins at the same instant.
    case flash
    /// Motion, and a beep that begins together with the first frame of each second.
    case metronome
    /// The time since the start, large.
    case clock

    /// Whether beeps belong to it.
    public var hasAudio: Bool { self == .flash || self == .metronome }

    /// - Parameters:
    ///   - size: the frame in pixels, at least as large as the barcode's far corner.
    ///   - framesPerSecond: how often scroll, video, motion, noise, metronome and clock change; the others have a rhythm of their own.
    ///   - randomIntervals: flash comes at irregular times rather than every second.
    public func make(size: PixelSize, framesPerSecond: Int = 30, randomIntervals: Bool = false) -> any Scene {
        switch self {
        case .idle: IdleScene(size: size)
        case .typing: TypingScene(size: size)
        case .scroll: ScrollScene(size: size, framesPerSecond: framesPerSecond)
        case .video: VideoScene(size: size, framesPerSecond: framesPerSecond)
        case .motion: MotionScene(size: size, framesPerSecond: framesPerSecond)
        case .noise: NoiseScene(size: size, framesPerSecond: framesPerSecond)
        case .bars: BarsScene(size: size)
        case .flash: FlashScene(randomIntervals ? .random : .second)
        case .metronome: MotionScene(size: size, framesPerSecond: framesPerSecond, isBeeping: true)
        case .clock: ClockScene(size: size, framesPerSecond: framesPerSecond)
        }
    }
}

/// When the frames of an even rhythm are due.
func evenInstant(of number: Int, framesPerSecond: Int) -> Int64 {
    Int64(number) * 1_000_000_000 / Int64(max(1, framesPerSecond))
}
