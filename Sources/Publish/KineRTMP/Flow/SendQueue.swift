// The samples that wait for the network. If too many, frames are dropped up to the next keyframe, never audio.

/// The samples of one stream in order. Pure.
public struct SendQueue: Sendable {
    public struct Item: Sendable, Equatable {
        public var isVideo: Bool
        public var isKeyframe: Bool
        /// Milliseconds on the take's timeline.
        public var time: Int64
        /// A message's payload, including the tag header.
        public var payload: [UInt8]
        /// The format of a keyframe and the frames after it; nil: as before.
        public var format: RTMPStreamFormat.Video?

        public init(
            isVideo: Bool, isKeyframe: Bool, time: Int64, payload: [UInt8], format: RTMPStreamFormat.Video? = nil
        ) {
            self.isVideo = isVideo
            self.isKeyframe = isKeyframe
            self.time = time
            self.payload = payload
            self.format = format
        }
    }

    public enum Outcome: Equatable, Sendable {
        case queued
        /// Frames were dropped. A keyframe from which decoding can continue is already queued.
        case droppedToKeyframe
        /// Frames are dropped until a keyframe comes. Request one.
        case needsKeyframe
        /// There is so much waiting audio that every frame is dropped. Request a keyframe once `isTooLong` is false.
        case tooLong
    }

    /// Frames are dropped if the oldest and the newest sample are further apart than this, in milliseconds.
    public let longest: Int64
    /// Frames are dropped if more bytes than this wait.
    public let byteLimit: Int
    /// More audio than this, in milliseconds or bytes, means that the network is too slow even for audio.
    private static let audioLimits = (duration: Int64(30_000), bytes: 4 << 20)
    public private(set) var byteCount = 0
    private var audioByteCount = 0
    /// All frames ever dropped.
    public private(set) var droppedFrames = 0
    /// Whether frames are dropped until the next keyframe. The first frame must be one.
    public private(set) var awaitsKeyframe = true
    private var items: [Item] = []
    private var head = 0

    public init(longest: Int64 = 3000, byteLimit: Int = 8 << 20) {
        self.longest = longest
        self.byteLimit = byteLimit
    }

    public var isEmpty: Bool { head == items.count }
    public var first: Item? { head < items.count ? items[head] : nil }
    /// The format of the first keyframe; each keyframe in the queue has its own.
    public var firstFormat: RTMPStreamFormat.Video? { items[head...].lazy.compactMap(\.format).first }
    public var frameCount: Int { items[head...].count(where: \.isVideo) }
    /// Milliseconds from the oldest waiting sample to the newest.
    public var duration: Int64 {
        guard let last = items.last, head < items.count else { return 0 }
        return max(0, last.time - items[head].time)
    }
    /// Whether the queue is so long that frames are not queued.
    public var isTooLong: Bool { duration > longest }
    /// Whether the network is too slow even for audio. Frames are dropped long before.
    public var exceedsAudioLimit: Bool {
        duration > Self.audioLimits.duration || audioByteCount > Self.audioLimits.bytes
    }

    public mutating func append(_ item: Item) -> Outcome {
        if item.isVideo {
            if isTooLong {
                droppedFrames += 1
                awaitsKeyframe = true
                return .tooLong
            }
            if awaitsKeyframe, !item.isKeyframe {
                droppedFrames += 1
                return .needsKeyframe
            }
            awaitsKeyframe = false
        } else {
            audioByteCount += item.payload.count
        }
        items.append(item)
        byteCount += item.payload.count
        guard isTooLong || byteCount > byteLimit else { return .queued }
        return dropFrames()
    }

    public mutating func popFirst() -> Item? {
        guard head < items.count else { return nil }
        let item = items[head]
        // The bytes are freed at once; the array is shifted occasionally.
        items[head].payload = []
        head += 1
        byteCount -= item.payload.count
        if !item.isVideo { audioByteCount -= item.payload.count }
        if head == items.count || head > 256 {
            items.removeFirst(head)
            head = 0
        }
        return item
    }

    /// Drops the frames before the last keyframe. If that is the first frame, or there is none, drops all.
    private mutating func dropFrames() -> Outcome {
        let waiting = items[head...]
        guard let first = waiting.firstIndex(where: \.isVideo) else { return .queued }
        let keyframe = waiting.lastIndex { $0.isVideo && $0.isKeyframe }.flatMap { $0 > first ? $0 : nil }
        let end = keyframe ?? waiting.endIndex
        for item in waiting[..<end] where item.isVideo {
            droppedFrames += 1
            byteCount -= item.payload.count
        }
        items = waiting[..<end].filter { !$0.isVideo } + waiting[end...]
        head = 0
        if keyframe != nil { return .droppedToKeyframe }
        awaitsKeyframe = true
        return isTooLong ? .tooLong : .needsKeyframe
    }
}
