// The input track of a finished recording.
import KineMedia

extension RecordingIndex {
    /// The number of samples of the input track; 0: there is none.
    public var inputCount: Int { input.map { tracks[$0].sizes.count } ?? 0 }

    /// The time of the recording at which a sample of the input track begins.
    public func inputTime(_ sample: Int) -> MediaTime {
        input.map { RecordingLayout.duration(ticks: tracks[$0].starts[sample]) } ?? .zero
    }

    /// A sample's text (docs/input-track.md).
    public func inputText(_ sample: Int, in file: any StorageFile) throws(StorageError) -> [UInt8] {
        guard let input else { return [] }
        return try file.read(at: tracks[input].offsets[sample], count: Int(tracks[input].sizes[sample]))
    }
}
