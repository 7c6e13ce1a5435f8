// Writes the first and the last sample of an excerpt's input track anew, so that the file has nothing from outside the cut.
import KineContainers
import KineInput
import KineMedia

extension FinishedRecording {
    /// The texts for `MovieExcerpt.NewSamples.input`.
    func input(of excerpt: MovieExcerpt) throws(EditingError) -> [[UInt8]] {
        let samples = excerpt.inputSamples
        guard let last = samples.last else { return [] }
        let times = excerpt.times
        func text(_ sample: Int) throws(EditingError) -> [UInt8] {
            try EditingError.wrapping({ .recording(.storage($0)) }) { () throws(StorageError) in
                try index.inputText(sample, in: file)
            }
        }
        func cut(_ sample: Int) throws(EditingError) -> [InputLine] {
            InputLine.cut(try text(sample), from: index.inputTime(sample), to: times)
        }
        func whole(_ sample: Int) throws(EditingError) -> [InputLine] { InputLine.lines(of: try text(sample)) ?? [] }
        var first = try cut(samples.lowerBound)
        // An image that a sample uses was in one that began less than the interval before.
        var beginning = [first]
        for sample in samples.dropFirst().prefix(while: {
            index.inputTime($0) <= times.lowerBound + InputRecorder.imageInterval
        }) {
            beginning.append(sample == last ? try cut(sample) : try whole(sample))
        }
        let missing = InputLine.missingImages(in: beginning)
        var images: [String: InputImage] = [:]
        for sample in (0...samples.lowerBound).reversed() {
            guard images.count < missing.count,
                index.inputTime(sample) >= index.inputTime(samples.lowerBound) - InputRecorder.imageInterval
            else { break }
            for image in try whole(sample).compactMap(\.definedImage)
            where images[image.name] == nil && missing.contains(image.name) { images[image.name] = image }
        }
        let end = samples.count > 1 ? try cut(last) : first
        // An excerpt of a damaged track has none.
        guard !first.isEmpty, !end.isEmpty else { return [] }
        first.insert(contentsOf: missing.compactMap { images[$0] }.map { .image($0) }, at: 1)
        return ([first] + (samples.count > 1 ? [end] : [])).map(InputLine.text)
    }
}
