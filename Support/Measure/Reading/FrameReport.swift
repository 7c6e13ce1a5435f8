// What a recording of a scene kept of it: how many of the drawn frames, and how well they look.
import KineMedia

/// A recording compared with the scene that was recorded.
public struct FrameReport: Equatable, Sendable {
    /// Frames in the file.
    public var frames = 0
    /// Different numbers read from them.
    public var distinct = 0
    /// Frames that the scene drew from the first one in the file to the last.
    public var drawn = 0
    /// Frames without a readable number: caught while they were drawn, or spoiled by the codec.
    public var unreadable = 0
    /// Mean SSIM against what the scene drew, over instants evenly spread over the file; nil where none was readable.
    public var similarity: Double?
    /// Seconds.
    public var duration = 0.0

    public init() {}

    /// Decodes the file at `path` and compares what is shown at `samples` instants with `scene`, which must have the size
    /// of the file's video.
    public init(path: String, scene: any Scene, samples: Int = 24) throws {
        let video = try RecordedVideo(path: path)
        let truth = OwnedCanvas(size: video.size)
        var wanted: [Int: Int] = [:]
        for sample in 0..<samples {
            wanted[video.frame(at: video.duration * (Double(sample) + 0.5) / Double(samples)), default: 0] += 1
        }
        var numbers: Set<Int> = []
        var total = 0.0
        var compared = 0
        try video.decode { index, luma in
            guard let number = Barcode.read(luma) else {
                unreadable += 1
                return
            }
            numbers.insert(number)
            guard let times = wanted[index] else { return }
            scene.paint(number, on: truth.canvas)
            if let value = StructuralSimilarity.mean(luma, LumaFrame(truth.canvas)) {
                total += value * Double(times)
                compared += times
            }
        }
        frames = video.frames.count
        duration = video.duration
        distinct = numbers.count
        if let first = numbers.min(), let last = numbers.max() { drawn = last - first + 1 }
        if compared > 0 { similarity = total / Double(compared) }
    }
}
