// Keeps the newest samples of a live stream: enough for a new viewer to start at once, and for a delayed one to catch up.
// Pure: no clock, no sockets.
import KineMedia

/// A codec of a stream. Each has its own keyframes, at which its decoder can begin.
package enum SampleCodec: Hashable, Sendable {
    case video(VideoCodec)
    case audio(AudioCodec)
}

/// One access unit of a stream, without its bytes.
package struct LiveSample: Equatable, Sendable {
    package let type: SampleType
    package let codec: SampleCodec
    /// On the take's timeline.
    package let presentationTime: MediaTime
    package let isKeyframe: Bool

    package init(type: SampleType, codec: SampleCodec, presentationTime: MediaTime, isKeyframe: Bool) {
        (self.type, self.codec) = (type, codec)
        (self.presentationTime, self.isKeyframe) = (presentationTime, isKeyframe)
    }

    package var isVideo: Bool { type == .video }
    /// Whether decoding can begin here, as it can with every access unit of audio.
    package var isRandomAccess: Bool { isKeyframe || !isVideo }
}

/// The newest samples of a stream, numbered from zero in order of arrival, each with what the caller serves of it.
///
/// It keeps everything since the newest keyframe, and all that arrived less than `grace` before the newest entry. Beyond
/// `byteLimit` it drops the oldest anyway, and no viewer can begin before the next keyframe.
package struct SampleHistory<Content: Sendable>: Sendable {
    package struct Entry: Sendable {
        /// Nil for an entry that is no sample, such as a change of the phase.
        package let sample: LiveSample?
        package let content: Content
        /// Nanoseconds of the caller's clock.
        package let arrival: Int64
        fileprivate let bytes: Int
    }

    /// The codec at whose keyframes viewers begin.
    private let codec: SampleCodec
    private let byteLimit: Int
    private let grace: Int64
    private var entries = NumberedQueue<Entry>()
    /// Bytes of memory of all contents together.
    package private(set) var bytes = 0
    /// The number of each codec's newest keyframe that is kept.
    package private(set) var newestKeyframes: [SampleCodec: Int] = [:]

    /// - Parameters:
    ///   - codec: the video's, or the audio's in a stream without video.
    ///   - byteLimit: bytes of memory for all contents together.
    ///   - grace: nanoseconds for which entries before the newest keyframe are kept.
    package init(codec: SampleCodec, byteLimit: Int = 8 << 20, grace: Int64 = 1_000_000_000) {
        self.codec = codec
        self.byteLimit = byteLimit
        self.grace = grace
    }

    /// False for a stream of audio only, in which decoding can start anywhere.
    package var hasVideo: Bool { if case .video = codec { true } else { false } }

    /// The number of the newest keyframe, at which a new viewer begins.
    package var newestKeyframe: Int? { newestKeyframes[codec] }

    /// The number of the oldest entry; `end` if there is none.
    package var first: Int { entries.startIndex }

    /// The number after the newest entry's.
    package var end: Int { entries.endIndex }

    /// The entry with this number, which must be in `first..<end`.
    package subscript(number: Int) -> Entry { entries[number] }

    /// - Parameters:
    ///   - bytes: of memory that `content` takes.
    ///   - arrival: not before the newest entry's.
    package mutating func append(_ content: Content, of sample: LiveSample?, bytes: Int, at arrival: Int64) {
        if let sample, sample.isRandomAccess { newestKeyframes[sample.codec] = end }
        entries.append(Entry(sample: sample, content: content, arrival: arrival, bytes: bytes))
        self.bytes += bytes
        while first < end - 1 {
            let (oldest, number) = (entries[first], first)
            let isNeeded = newestKeyframe.map { number >= $0 } ?? true
            let isYoung = arrival - oldest.arrival < grace
            if self.bytes <= byteLimit, isNeeded || isYoung { break }
            self.bytes -= oldest.bytes
            if let codec = oldest.sample?.codec, newestKeyframes[codec] == number { newestKeyframes[codec] = nil }
            entries.removeFirst(before: number + 1)
        }
    }

    /// Counts the kept frames from number `start` up to, not including, `end`.
    package func frames(from start: Int, to end: Int) -> Int {
        guard max(start, first) < end else { return 0 }
        return (max(start, first)..<end).count { self[$0].sample?.isVideo == true }
    }
}
