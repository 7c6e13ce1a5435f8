// The engine's end of kinecast-publish without an engine: a file's access units at their times, so that what publishing them costs
// can be seen. Run by `rtmp` as a process of its own, which has no other child.
import ArgumentParser
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import KineRings
import KineServices
import KineWire
import SystemPackage

struct RTMPFeedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rtmp-feed", abstract: "Sends a file's access units through kinecast-publish.",
        shouldDisplay: false)

    @Argument(help: "An FLV file with H.264 without B-frames and AAC.")
    var file: String

    @Argument(help: "Where to publish.")
    var url: String

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let tags = try FLVFile.read(file)
        guard let sets = FLVFile.parameterSets(in: tags), let audio = FLVFile.audioSpecificConfig(in: tags) else {
            throw ValidationError("\(file) has no H.264 or no AAC; give another file.")
        }
        let samples = tags.filter(\.isSample).map(Self.sample)
        let size = PixelSize(width: 1920, height: 1080)
        // As the engine makes it for frames of this size.
        let sender = try StreamSender(video: true, frames: nil, sampleRingBytes: max(2 << 20, size.area * 2))
        let (connection, child) = try SupervisorConnection.starting("kinecast-publish", ["rtmp"])
        let start = ExtensionStart(
            service: "rtmp", setupInfo: ["url": url],
            stream: StreamDescription(
                framesPerSecond: 30,
                video: .init(
                    VideoFormat(
                        parameterSets: .h264(H264ParameterSets(sequence: sets.sequence, picture: sets.picture)),
                        size: size)
                ),
                frames: nil,
                audio: [
                    .init(
                        type: .audioApp, codec: .aac, sampleRate: 48000, channels: 2, bitrate: 160_000,
                        configuration: audio, samplesPerAccessUnit: 1024, primingSamples: 0)
                ], sampleRingBytes: sender.sampleRingBytes), memoryLimit: ServiceManifest.memoryLimit)
        try connection.send(.start(start), descriptors: sender.descriptors)
        try connection.wait(for: .started, of: "kinecast-publish")

        var account = TransferReport()
        let switches = Self.switches(of: child.pid)
        let origin = MonotonicClock.now()
        for sample in samples {
            FrameRhythm.sleep(until: origin + sample.presentationTime.nanoseconds)
            sender.send(sample)
            account.frames += 1
            // What it has to say is read now and then, or it would have to wait with it.
            if sample.type == .video { _ = try connection.receive(until: 0) }
        }
        let elapsed = Double(MonotonicClock.now() - origin) / 1e9
        account.notes["wakes"] = "\(Double(Self.switches(of: child.pid) - switches) / elapsed)"
        account.notes["skipped"] = "\(sender.counts.framesSkipped)"
        account.highWaterBytes = ProcFiles.highWaterBytes(of: child.pid)
        try connection.send(.finish(after: sender.position, seconds: 5))
        try connection.wait(for: .finished, of: "kinecast-publish")
        _ = child.wait()
        var usage = rusage()
        getrusage(-1, &usage)  // RUSAGE_CHILDREN
        account.processorNanoseconds = Self.nanoseconds(usage.ru_utime) + Self.nanoseconds(usage.ru_stime)
        print(account.text, terminator: "")
    }

    private static func switches(of process: Int32) -> Int { ProcFiles.switches(of: process).values.reduce(0, +) }

    private static func sample(_ tag: FLVTag) -> EncodedSample {
        EncodedSample(
            type: tag.type == 9 ? .video : .audioApp, presentationTime: .milliseconds(Int64(tag.timestamp)),
            duration: .zero, isKeyframe: tag.type == 8 || tag.isKeyframe, data: Array(tag.accessUnit))
    }

    private static func nanoseconds(_ time: timeval) -> Int64 {
        Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_usec) * 1000
    }
}
