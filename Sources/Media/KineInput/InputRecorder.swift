// Collects what a person does while a take runs, and writes it down sample by sample. Pure.
import KineMedia

/// The input of one take. Call `note` in the order of the times, and `sample` for each part of the take that is written.
///
/// The caller notes only what a take may have: nothing before the first frame, in a pause, or under a cover.
public struct InputRecorder: Sendable {
    public enum Action: Equatable, Sendable {
        /// The pointer is there now; nil: outside the picture, or hidden.
        case pointer(PixelPoint?)
        /// The pointer looks so now; nil: unknown.
        case image(InputImage?)
        /// Counts where the pointer is in the picture.
        case pressed(PointerButton)
        case released(PointerButton)
        /// Steps of the wheel: right and down are positive.
        case scrolled(x: Int, y: Int)
        /// A key that writes or edits was pressed, in a window of the picture.
        case typed
        case focused(PixelRect?)
        case changed([PixelRect])
    }

    public struct Sample: Equatable, Sendable {
        public var start: MediaTime
        public var text: [UInt8]
    }

    private var pending: [(time: MediaTime, action: Action)] = []
    /// The state at the end of the last written sample.
    private var state: InputState
    /// The time at which the next sample begins.
    private var start = MediaTime.zero
    private var awaitsFirst = true
    private var typing = TypingSpans()
    private var images = RecordedImages()

    public init(size: PixelSize) { state = InputState(size: size) }

    public mutating func note(_ action: Action, at time: MediaTime) { pending.append((time, action)) }

    /// The picture has another size from the next sample on.
    public mutating func resize(_ size: PixelSize) { state.size = size }

    /// The next sample is the first of another file.
    public mutating func beginFile() {
        awaitsFirst = true
        images.beginFile()
    }

    /// Writes down what was noted before `end`, a time of the take. Nil: nothing, and it is not the first sample of a file.
    public mutating func sample(through end: MediaTime) -> Sample? {
        defer { start = max(start, end) }
        let count = pending.firstIndex { $0.time >= end } ?? pending.count
        var script = InputScript(start: start, state: state)
        for (time, action) in pending[..<count] {
            if action == .typed { typing.type(at: time) }
            script.note(images.known(action), at: time)
        }
        pending.removeFirst(count)
        let before = state
        state = script.state
        var lines = script.finish()
        let (unit, offset) = (Int(TypingSpans.unit.nanoseconds / 1_000_000), Int(start.nanoseconds / 1_000_000))
        lines += typing.take().map { .typing($0.lowerBound * unit - offset..<$0.upperBound * unit - offset) }
        guard awaitsFirst || !lines.isEmpty else { return nil }
        awaitsFirst = false
        let named = [before.image].compactMap(\.self) + script.images
        return Sample(
            start: start,
            text: InputLine.text(of: [.state(before)] + images.due(named, at: start).map { .image($0) } + lines))
    }
}

/// The images of a take's pointer: which are recorded, and when each was written last.
struct RecordedImages: Sendable {
    private var images: [String: InputImage] = [:]
    private var writtenAt: [String: MediaTime] = [:]
    private var byteCount = 0

    /// Bytes of different images in a take.
    static let mostBytes = 64 << 10
    /// The time after which an image that is in use is written again.
    static let interval = MediaTime.seconds(60)

    mutating func beginFile() { writtenAt = [:] }

    /// The action, with an image that is recorded: one that is new and does not fit any more is left out.
    mutating func known(_ action: InputRecorder.Action) -> InputRecorder.Action {
        guard case .image(let image?) = action, images[image.name] == nil else { return action }
        guard byteCount + image.bytes.count <= Self.mostBytes else { return .image(nil) }
        byteCount += image.bytes.count
        images[image.name] = image
        return action
    }

    /// The images of these names that have to be written now.
    mutating func due(_ names: [String], at time: MediaTime) -> [InputImage] {
        var due: [InputImage] = []
        for name in names {
            if let last = writtenAt[name], time - last < Self.interval { continue }
            guard let image = images[name] else { continue }
            writtenAt[name] = time
            due.append(image)
        }
        return due
    }
}
