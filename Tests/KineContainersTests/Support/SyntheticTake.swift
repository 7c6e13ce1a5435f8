// A take whose samples are made up, so that thousands of them cost nothing, and the file that must come of them.
import CoreTesting
import KineContainers
import KineMedia
import Testing

struct SyntheticTake {
    enum Step {
        case sample(EncodedSample)
        case input(Input)
        case flush(MediaTime)
        case synchronize
    }

    struct Input {
        var time: MediaTime
        var data: [UInt8]
    }

    static let video = VideoFormat(
        parameterSets: .h264(
            H264ParameterSets(sequence: [0x67, 0x64, 0, 0x28, 0xac], picture: [0x68, 0xee, 0x3c, 0x80])),
        size: PixelSize(width: 640, height: 360))

    static func audio(_ type: SampleType, rate: Int = 48000) -> AudioFormat {
        AudioFormat(
            type: type, codec: .aac, sampleRate: rate, channels: 2, bitrate: 128_000, configuration: [0x11, 0x90],
            samplesPerAccessUnit: 1024, primingSamples: 1024)
    }

    var audio: [AudioFormat]
    var steps: [Step] = []
    var end: MediaTime
    /// The appended samples, track by track, frames first.
    var samples: [[EncodedSample]]
    /// The samples of the input track; nil without one.
    var inputs: [Input]?

    /// The bytes of all samples, as the tracks of the file have them.
    var payloads: [[[UInt8]]] { samples.map { $0.map(\.data) } + (inputs.map { [$0.map(\.data)] } ?? []) }

    /// - Parameters:
    ///   - hasInput: there is a track of input, with a sample in half of the fragments, and in the first.
    ///   - still: the probability that a frame stays for seconds.
    init(
        seed: UInt64, seconds: Double, audio: [AudioFormat] = [], hasInput: Bool = false, still: Double = 0.05
    ) {
        var random = SeededGenerator(seed: seed)
        self.audio = audio
        samples = Array(repeating: [], count: 1 + audio.count)
        inputs = hasInput ? [] : nil
        end = .seconds(seconds)
        var nextFrame = MediaTime.zero
        var now = MediaTime.zero
        while now < end {
            if let inputs, inputs.isEmpty || Bool.random(using: &random) { addInput(at: now) }
            now = min(end, now + .milliseconds(Int64.random(in: 300...600, using: &random)))
            while nextFrame < now {
                let isKeyframe = samples[0].isEmpty || Int.random(in: 0..<20, using: &random) == 0
                add(.video, track: 0, at: nextFrame, isKeyframe: isKeyframe, &random)
                let pause = Double.random(in: 0..<1, using: &random) < still
                nextFrame += .milliseconds(Int64.random(in: pause ? 1000...4000 : 7...60, using: &random))
            }
            for (index, format) in audio.enumerated() {
                while samples[index + 1].count * 1024 < Int(now.seconds * Double(format.sampleRate)) + 1024 {
                    add(format.type, track: index + 1, at: now, isKeyframe: true, &random)
                }
            }
            steps.append(.flush(now))
            if Bool.random(using: &random) { steps.append(.synchronize) }
        }
    }

    private mutating func addInput(at time: MediaTime) {
        let input = Input(time: time, data: Array("{\"number\": \(inputs?.count ?? 0)}\n".utf8))
        inputs?.append(input)
        steps.append(.input(input))
    }

    private mutating func add(
        _ type: SampleType, track: Int, at time: MediaTime, isKeyframe: Bool, _ random: inout SeededGenerator
    ) {
        let number = UInt8(truncatingIfNeeded: samples[track].count)
        let count = Int.random(in: 1...(isKeyframe && track == 0 ? 900 : 60), using: &random)
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0) ^ number ^ UInt8(track << 6) }
        // One NAL unit behind its length, an IDR slice or another; or what could be a frame of AAC.
        let length = withUnsafeBytes(of: UInt32(count + 1).bigEndian) { Array($0) }
        let sample = EncodedSample(
            type: type, presentationTime: time, duration: .zero, isKeyframe: isKeyframe,
            data: track == 0 ? length + [isKeyframe ? 0x65 : 0x41] + content : [0x21] + content)
        samples[track].append(sample)
        steps.append(.sample(sample))
    }

    /// Writes the take. Errors of flush and synchronize end it early, as the driver's would.
    @discardableResult
    func write(to file: some StorageFile, finishing: Bool = true) throws -> FinishedFile? {
        try write(
            with: MP4Writer(
                file: file, video: Self.video, audio: audio, hasInput: inputs != nil, creationTime: 1_700_000_000),
            finishing: finishing)
    }

    @discardableResult
    func write(with writer: some MovieWriter, finishing: Bool = true) throws -> FinishedFile? {
        var now = MediaTime.zero
        do throws(StorageError) {
            for step in steps {
                switch step {
                case .sample(let sample): writer.append(sample)
                case .input(let input): writer.append(input: input.data, at: input.time)
                case .flush(let time):
                    now = time
                    try writer.flush(through: time)
                case .synchronize: try (writer as? MP4Writer)?.synchronize()
                }
            }
        } catch {
            return try writer.finish(at: now)
        }
        return finishing ? try writer.finish(at: end) : nil
    }

    /// Compares everything in a movie with the appended samples.
    func check(
        _ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> OracleMovie {
        let movie = try OracleMovie(bytes)
        try #require(movie.tracks.count == self.payloads.count, sourceLocation: sourceLocation)
        let payloads = try movie.payloads(bytes)
        for (index, expected) in samples.enumerated() {
            let track = movie.tracks[index]
            #expect(track.handler == (index == 0 ? "vide" : "soun"), sourceLocation: sourceLocation)
            #expect(payloads[index] == expected.map(\.data), sourceLocation: sourceLocation)
            #expect(track.samples.map(\.isSync) == expected.map(\.isKeyframe), sourceLocation: sourceLocation)
            let starts = expected.indices.map {
                index == 0 ? Int(expected[$0].presentationTime.ticks(timescale: 90000)) : $0 * 1024
            }
            #expect(track.samples.map(\.start) == starts, sourceLocation: sourceLocation)
        }
        let last = try #require(movie.tracks[0].samples.last, sourceLocation: sourceLocation)
        #expect(last.start + last.duration == Int(end.ticks(timescale: 90000)), sourceLocation: sourceLocation)
        if let inputs, let track = movie.tracks.last {
            #expect(track.handler == "meta" && track.edits.isEmpty, sourceLocation: sourceLocation)
            #expect(payloads.last == inputs.map(\.data), sourceLocation: sourceLocation)
            let starts = inputs.map { Int($0.time.ticks(timescale: 90000)) }
            #expect(track.samples.map(\.start) == starts, sourceLocation: sourceLocation)
            #expect(!track.samples.contains { !$0.isSync }, sourceLocation: sourceLocation)
            if !movie.types.contains("moof") {
                #expect(track.samples.last?.end == last.end, sourceLocation: sourceLocation)
            }
        }
        return movie
    }
}

extension MP4Writer {
    /// For frames alone.
    convenience init(_ file: any StorageFile) throws(StorageError) {
        try self.init(file: file, video: SyntheticTake.video, audio: [], creationTime: 0)
    }
}
