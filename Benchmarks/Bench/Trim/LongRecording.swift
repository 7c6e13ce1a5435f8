// A long recording that is made in a moment: ten seconds of a scene, encoded as an engine does it, again and again.
import Glibc
import KineCodecs
import KineContainers
import KineImaging
import KineMeasure
import KineMedia
import KineX264

struct LongRecording {
    /// Frames from one keyframe to the next, as an engine makes them: ten seconds.
    static let groupFrames = 300
    static let framesPerSecond = 30
    private static let size = PixelSize(width: 1920, height: 1080)

    private let format: VideoFormat
    private let group: [EncodedSample]
    private let audioFormat: AudioFormat
    private let audio: [[UInt8]]

    /// Encodes the ten seconds.
    init(of scene: SceneKind) throws {
        let encoder = try X264Encoder(
            VideoEncoderSettings(
                size: Self.size, rateControl: .constantQuantizer(TakeConfiguration.Video.defaultQuality),
                nominalFrameRate: Self.framesPerSecond))
        format = VideoFormat(parameterSets: .h264(encoder.h264ParameterSets), size: Self.size)
        group = try Self.encode(scene.make(size: Self.size, framesPerSecond: Self.framesPerSecond), encoder)
        (audioFormat, audio) = try Self.tone()
    }

    private static func encode(_ scene: any Scene, _ encoder: X264Encoder) throws -> [EncodedSample] {
        let buffer = OwnedCanvas(size: size)
        let ring = FrameRing(size: size)
        var samples: [EncodedSample] = []
        for number in 0..<groupFrames {
            scene.paint(number, on: buffer.canvas)
            guard ring.begin() else { continue }
            let canvas = buffer.canvas
            ring.draw(PixelRect(size: canvas.size), bgra: canvas.pixels, stride: canvas.stride * 4)
            guard let frame = ring.commit(evenIfUnchanged: true) else { continue }
            samples.append(
                try encoder.encode(
                    frame.planes, changed: frame.changed,
                    at: MediaTime(ticks: Int64(number), timescale: Int32(framesPerSecond)),
                    forceKeyframe: number == 0))
            ring.release(frame)
        }
        return samples
    }

    /// A second of a tone.
    private static func tone() throws -> (AudioFormat, [[UInt8]]) {
        let track = AudioTrackEncoder(
            encoder: try AACEncoder(for: .audioApp, sampleRate: 48000, channels: 2, bitrate: 160_000))
        var units: [[UInt8]] = []
        for frame in 0..<48 {
            let samples = (0..<2048).map { Float(sin(Double(frame * 1024 + $0 / 2) / 48000 * 440 * 2 * Double.pi)) / 2 }
            try track.encode(interleaved: samples.span) { units.append($0.data) }
        }
        return (track.format, units)
    }

    /// Writes the file, with fragments of half a second as a recording has them.
    func write(to path: String, groups: Int, hasAudio: Bool = true) throws -> FinishedFile {
        let writer = try MP4Writer(
            file: try DiskFile.create(path), video: format, audio: hasAudio ? [audioFormat] : [],
            creationTime: 1_700_000_000)
        var units = 0
        let seconds = Double(Self.groupFrames) / Double(Self.framesPerSecond)
        for number in 0..<groups {
            let start = MediaTime.seconds(Double(number) * seconds)
            for (index, sample) in group.enumerated() {
                var moved = sample
                moved.presentationTime += start
                writer.append(moved)
                guard index % (Self.framesPerSecond / 2) == 0 else { continue }
                let now = moved.presentationTime
                while Double(units) * 1024 / 48000 < now.seconds {
                    writer.append(
                        EncodedSample(
                            type: .audioApp, presentationTime: .zero, duration: .zero, isKeyframe: true,
                            data: audio[units % audio.count]))
                    units += 1
                }
                try writer.flush(through: now)
            }
        }
        return try writer.finish(at: .seconds(Double(groups) * seconds))
    }
}
