// The input track of an excerpt: its first and its last sample are written anew, so that nothing from outside the cut is in the file.
import KineContainers
import KineInput
import KineMedia

extension FinishedRecording {
    /// The texts for `MovieExcerpt.NewSamples.input`.
    func input(of excerpt: MovieExcerpt) throws(EditingError) -> [[UInt8]] {
        let samples = excerpt.inputSamples
        guard let last = samples.last else { return [] }
        let times = excerpt.times
        func lines(_ sample: Int, isCut: Bool = true) throws(EditingError) -> [InputLine] {
            let text = try EditingError.wrapping({ .recording(.storage($0)) }) { () throws(StorageError) in
                try index.inputText(sample, in: file)
            }
            let (lines, start) = (InputLine.lines(of: text) ?? [], index.inputTime(sample))
            guard isCut else { return lines }
            // A millisecond that is only partly inside is outside.
            let first = max(0, (times.lowerBound - start).nanoseconds + 999_999) / 1_000_000
            let end = max(0, (times.upperBound - start).nanoseconds) / 1_000_000
            return InputLine.cut(lines, from: Int(first), to: Int(end), keepsImages: sample > samples.lowerBound)
        }
        var first = try lines(samples.lowerBound)
        // An image that a sample uses was in one that began less than the interval before.
        var beginning = [first]
        for sample in samples.dropFirst()
        where index.inputTime(sample) <= times.lowerBound + InputRecorder.imageInterval {
            beginning.append(try lines(sample, isCut: sample == last))
        }
        let missing = InputLine.missingImages(in: beginning)
        var images: [String: InputImage] = [:]
        for sample in (0...samples.lowerBound).reversed() {
            guard images.count < missing.count,
                index.inputTime(sample) >= index.inputTime(samples.lowerBound) - InputRecorder.imageInterval
            else { break }
            for image in try lines(sample, isCut: false).compactMap(\.definedImage)
            where images[image.name] == nil && missing.contains(image.name) { images[image.name] = image }
        }
        // A damaged sample has no state, and is read as one of an unknown form.
        guard !first.isEmpty else { return [] }
        first.insert(contentsOf: missing.compactMap { images[$0] }.map { .image($0) }, at: 1)
        return [InputLine.text(of: first)] + (samples.count > 1 ? [InputLine.text(of: try lines(last))] : [])
    }
}
