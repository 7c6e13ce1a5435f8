// Still images out of a recording.
import KineCodecs
import KineContainers
import KineImaging
import KineMedia

public enum RecordingImages {
    public struct Image: Equatable, Sendable {
        /// The time from which the frame is shown.
        public var time: MediaTime
        /// In pixels.
        public var size: PixelSize
        /// An image file of the requested format.
        public var data: [UInt8]
    }

    /// The frames that are shown at these times, in the order of the times; frames between the same two keyframes are
    /// decoded once.
    /// - Parameter limit: images are no larger; nil: they have the frames' size.
    public static func make(
        of recording: FinishedRecording, at times: [MediaTime], fitting limit: PixelSize?, _ format: ImageEncoder.Format
    ) throws(EditingError) -> [Image] {
        let index = recording.index
        let frames = try times.map { (time) throws(EditingError) in
            guard let frame = index.frame(at: time) else { throw .beyondEnd(index.duration) }
            return frame
        }
        var images: [Int: Image] = [:]
        let groups = Dictionary(grouping: Set(frames), by: index.keyframe(notAfter:))
        for (keyframe, wanted) in groups.sorted(by: { $0.key < $1.key }).map({ ($0, Set($1)) }) {
            try recording.decode(keyframe..<(wanted.max() ?? keyframe) + 1) { (number, frame) throws(EditingError) in
                guard wanted.contains(number) else { return }
                let image = StillImage(frame, visibleSize: index.size(ofFrame: number), fitting: limit)
                images[number] = Image(
                    time: index.time(of: number), size: image.size, data: try encode(image, format))
            }
        }
        return frames.compactMap { images[$0] }
    }

    /// The times, or the times of the keyframes before if the frames need more than `most` others to be decoded.
    public static func times(_ times: [MediaTime], of index: RecordingIndex, decodingAtMost most: Int) -> [MediaTime] {
        let frames = times.map { index.frame(at: $0) ?? 0 }
        // The distance of the last image between the same two keyframes is what has to be decoded.
        var decoded: [Int: Int] = [:]
        for frame in frames {
            let keyframe = index.keyframe(notAfter: frame)
            decoded[keyframe] = max(decoded[keyframe] ?? 0, frame - keyframe + 1)
        }
        guard decoded.values.reduce(0, +) > most else { return times }
        return frames.map { index.time(of: index.keyframe(notAfter: $0)) }
    }

    private static func encode(
        _ image: StillImage, _ format: ImageEncoder.Format
    ) throws(EditingError) -> [UInt8] {
        try EditingError.wrapping(EditingError.image) { () throws(ImageEncoder.Error) in
            switch format {
            case .png: try ImageEncoder.png(rgb: image.rgb(), size: image.size)
            case .jpeg: try ImageEncoder.jpeg(jfif: image.jfif(), size: image.size)
            }
        }
    }
}
