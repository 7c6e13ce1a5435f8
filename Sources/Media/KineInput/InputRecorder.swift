// Collects what a person does while a take runs, and writes it down sample by sample. Pure.
import KineMedia

/// The input of one take. Call `note` for each action, and `sample` for each part of the take that is written.
///
/// The caller notes only what a take may have: nothing before the first frame, in a pause, or under a cover.
public struct InputRecorder: Sendable {
    public struct Sample: Equatable, Sendable {
        public var start: MediaTime
        public var text: [UInt8]

        public init(start: MediaTime, text: [UInt8]) { (self.start, self.text) = (start, text) }
    }

    private var pending: [TimedInput] = []
    /// The state at the end of the last written sample.
    private var state: InputState
    /// The time at which the next sample begins.
    private var start = MediaTime.zero
    private var awaitsFirst = true
    /// The beginning of the last written sample.
    private var lastStart = MediaTime.zero
    private var typing = TypingSpans()
    private var images = RecordedImages()

    /// The time after which a sample is written although nothing happened: a sample's duration has 32 bits, 13.2 hours at 90 kHz.
    private static let longestSample = MediaTime.seconds(12 * 3600)

    /// The time after which an image that is in use is written again.
    public static let imageInterval = MediaTime.seconds(60)

    public init(size: PixelSize) { state = InputState(size: size) }

    /// Actions come in the order of their times, but for typing, which may come later.
    public mutating func note(_ input: TimedInput) { pending.append(input) }

    /// The picture has another size from the next sample on.
    public mutating func resize(_ size: PixelSize) { state.size = size }

    /// The next sample is the first of another file.
    public mutating func beginFile() {
        awaitsFirst = true
        images.beginFile()
    }

    /// An image that a written sample names.
    public func image(named name: String) -> InputImage? { images.images[name] }

    /// Writes down what was noted before `end`, a time of the take. Nil: nothing, it is not the first sample of a file, and
    /// the last one is not long ago.
    public mutating func sample(through end: MediaTime) -> Sample? {
        defer { start = max(start, end) }
        var script = InputScript(start: start, state: state)
        for input in pending where input.time < end {
            switch input.action {
            case .typed: typing.type(at: input.time)
            case .image(let image): script.noteImage(image.flatMap { images.name(of: $0) }, at: input.time)
            default: script.note(input.action, at: input.time)
            }
        }
        pending.removeAll { $0.time < end }
        let before = state
        state = script.state
        var lines = script.finish()
        let (unit, offset) = (Int(TypingSpans.unit.nanoseconds / 1_000_000), Int(start.nanoseconds / 1_000_000))
        lines += typing.take().map { .typing($0.lowerBound * unit - offset..<$0.upperBound * unit - offset) }
        guard awaitsFirst || !lines.isEmpty || start - lastStart >= Self.longestSample else { return nil }
        (awaitsFirst, lastStart) = (false, start)
        let named = [before.image].compactMap(\.self) + script.images
        return Sample(
            start: start,
            text: InputLine.text(of: [.state(before)] + images.due(named, at: start).map { .image($0) } + lines))
    }
}

/// The images of a take's pointer: which are recorded, and when each was written last.
struct RecordedImages: Sendable {
    private var names: [PointerImage: String] = [:]
    private(set) var images: [String: InputImage] = [:]
    private var writtenAt: [String: MediaTime] = [:]
    private var byteCount = 0
    /// An image was left out, since it did not fit: so are all others that are new.
    private var isFull = false

    /// Bytes of different images in a take.
    static let mostBytes = 64 << 10

    mutating func beginFile() { writtenAt = [:] }

    /// The name of an image that is recorded; nil: it is left out.
    mutating func name(of image: PointerImage) -> String? {
        if let name = names[image] { return name }
        guard !isFull, let png = image.png else { return nil }
        isFull = byteCount + png.count > Self.mostBytes
        guard !isFull else { return nil }
        byteCount += png.count
        let name = String(images.count + 1, radix: 36)
        names[image] = name
        images[name] = InputImage(name: name, hotspot: image.hotspot, bytes: png)
        return name
    }

    /// The images of these names that have to be written now.
    mutating func due(_ names: [String], at time: MediaTime) -> [InputImage] {
        var due: [InputImage] = []
        for name in names {
            if let last = writtenAt[name], time - last < InputRecorder.imageInterval { continue }
            guard let image = images[name] else { continue }
            writtenAt[name] = time
            due.append(image)
        }
        return due
    }
}
