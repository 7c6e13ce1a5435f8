// What a person did in the last seconds of a take, for clips. Pure.
import KineMedia

public struct RecentInput: Sendable {
    private var recorder: InputRecorder
    private var samples: [InputRecorder.Sample] = []

    /// - Parameter size: the picture's.
    public init(size: PixelSize) { recorder = InputRecorder(size: size) }

    public mutating func note(_ input: [TimedInput]) { for action in input { recorder.note(action) } }

    /// Keeps what was noted before `end`, and discards what ended before `oldest`; both are times of the take.
    public mutating func keep(through end: MediaTime, from oldest: MediaTime) {
        if let sample = recorder.sample(through: end) { samples.append(sample) }
        let first = samples.lastIndex { $0.start <= oldest } ?? 0
        samples.removeFirst(first)
    }

    /// The samples of a clip, whose starts count from the clip's.
    public func samples(in times: Range<MediaTime>) -> [InputRecorder.Sample] {
        let first = samples.lastIndex { $0.start <= times.lowerBound } ?? 0
        var parts = samples[first...].prefix { $0.start < times.upperBound }.map { sample in
            (
                start: max(sample.start - times.lowerBound, .zero),
                lines: InputLine.cut(sample.text, from: sample.start, to: times)
            )
        }
        guard parts.first?.lines.isEmpty == false else { return [] }
        let images = InputLine.missingImages(in: parts.map(\.lines)).compactMap { recorder.image(named: $0) }
        parts[0].lines.insert(contentsOf: images.map { .image($0) }, at: 1)
        return parts.map { InputRecorder.Sample(start: $0.start, text: InputLine.text(of: $0.lines)) }
    }
}
