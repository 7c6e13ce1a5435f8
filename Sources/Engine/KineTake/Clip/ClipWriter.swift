// Writes the samples of a clip to a file, as the recording's thread writes those of a take.
import FoundationEssentials
import KineContainers
import KineMedia

enum ClipWriter {
    /// The clip's time in one fragment while it is written, and so what of it is in memory at once.
    private static let step = MediaTime.milliseconds(500)

    /// Blocks for as long as the disk needs. Throws also where only a part could be written.
    ///
    /// - Parameter file: a new file, which is empty.
    static func write(
        _ clip: ClipSelection, video: VideoFormat, to file: any StorageFile
    ) throws(StorageError) -> FinishedFile {
        let writer = try MP4Writer(
            file: file, video: video, audio: clip.audio.map(\.format), creationTime: Int64(Date().timeIntervalSince1970)
        )
        var tracks =
            [Track(type: .video, samples: clip.video, contents: clip.videoContents)]
            + clip.audio.map { Track(type: $0.format.type, samples: $0.samples, contents: $0.contents) }
        let end = clip.duration
        var time = MediaTime.zero
        while time < end {
            time = min(end, time + step)
            for index in tracks.indices {
                try tracks[index].append(before: time, to: writer)
            }
            try writer.flush(through: time)
        }
        let finished = try writer.finish(at: end)
        if let failure = finished.failure { throw failure }
        return finished
    }

    private struct Track {
        let type: SampleType
        let samples: [ClipSelection.Sample]
        var contents: ClipLog.Contents
        var next = 0

        mutating func append(before time: MediaTime, to writer: MP4Writer) throws(StorageError) {
            while next < samples.count, samples[next].time < time {
                let sample = samples[next]
                next += 1
                writer.append(
                    EncodedSample(
                        type: type, presentationTime: sample.time, duration: .zero, isKeyframe: sample.isKeyframe,
                        data: try contents.read(at: sample.position, count: Int(sample.size))))
            }
        }
    }
}
