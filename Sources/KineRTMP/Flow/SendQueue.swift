// What waits for the network, counted in time: pictures give way when it is too much, up to the next keyframe; sound never.

/// The samples of one stream in the order of their coming. Pure; holds what it is given.
public struct SendQueue: Sendable {
    public struct Item: Sendable, Equatable {
        public var isVideo: Bool
        public var isKeyframe: Bool
        /// Milliseconds on the take's timeline.
        public var time: Int64
        /// A message's payload, tag header included.
        public var payload: [UInt8]

        public init(isVideo: Bool, isKeyframe: Bool, time: Int64, payload: [UInt8]) {
            self.isVideo = isVideo
            self.isKeyframe = isKeyframe
            self.time = time
            self.payload = payload
        }
    }

    public enum Outcome: Equatable, Sendable {
        case taken
        /// Pictures were dropped. Decoding begins anew at a keyframe that is there already.
        case droppedToKeyframe
        /// Pictures are dropped until a keyframe comes: ask for one.
        case needsKeyframe
        /// What waits is too long without any picture. A keyframe is of use once `isTooLong` is over: ask for one then.
        case tooLong
    }

    /// Milliseconds from the oldest waiting sample to the newest, over which pictures are dropped.
    public let longest: Int64
    /// Bytes over which pictures are dropped.
    public let byteLimit: Int
    /// Milliseconds, and bytes, of sound that wait at most.
    private static let soundLimits = (duration: Int64(30_000), bytes: 4 << 20)
    public private(set) var byteCount = 0
    private var soundByteCount = 0
    /// Pictures that were left out in all.
    public private(set) var droppedPictures = 0
    private var items: [Item] = []
    private var head = 0
    private var awaitsKeyframe: Bool

    /// `awaitsKeyframe`: pictures before the first keyframe are left out, and counted.
    public init(longest: Int64 = 3000, byteLimit: Int = 8 << 20, awaitsKeyframe: Bool = true) {
        self.longest = longest
        self.byteLimit = byteLimit
        self.awaitsKeyframe = awaitsKeyframe
    }

    public var isEmpty: Bool { head == items.count }
    public var count: Int { items.count - head }
    /// Milliseconds from the oldest waiting sample to the newest.
    public var duration: Int64 {
        guard let last = items.last, head < items.count else { return 0 }
        return max(0, last.time - items[head].time)
    }
    /// The next keyframe has to be asked for, or is.
    public var isWaitingForKeyframe: Bool { awaitsKeyframe }
    /// What waits is longer than it may be, and takes no picture.
    public var isTooLong: Bool { duration > longest }
    /// The network does not even take the sound. Of pictures, nothing waits for so long.
    public var exceedsAudioLimit: Bool {
        duration > Self.soundLimits.duration || soundByteCount > Self.soundLimits.bytes
    }

    public mutating func append(_ item: Item) -> Outcome {
        if item.isVideo {
            if isTooLong {
                droppedPictures += 1
                awaitsKeyframe = true
                return .tooLong
            }
            if awaitsKeyframe, !item.isKeyframe {
                droppedPictures += 1
                return .needsKeyframe
            }
            awaitsKeyframe = false
        } else {
            soundByteCount += item.payload.count
        }
        items.append(item)
        byteCount += item.payload.count
        guard isTooLong || byteCount > byteLimit else { return .taken }
        return drop()
    }

    public mutating func popFirst() -> Item? {
        guard head < items.count else { return nil }
        let item = items[head]
        // Let go of the bytes at once; the places are closed up now and then.
        items[head].payload = []
        head += 1
        byteCount -= item.payload.count
        if !item.isVideo { soundByteCount -= item.payload.count }
        if head == items.count || head > 256 {
            items.removeFirst(head)
            head = 0
        }
        return item
    }

    /// Everything goes, sound too: the connection is lost, and with it who would have heard it.
    public mutating func removeAll() {
        droppedPictures += items[head...].count(where: \.isVideo)
        items = []
        head = 0
        byteCount = 0
        soundByteCount = 0
        awaitsKeyframe = true
    }

    /// Drops pictures: those before the last keyframe, or all where there is none to begin anew at, or where only the first
    /// one waits, which has waited too long then.
    private mutating func drop() -> Outcome {
        let waiting = items[head...]
        let keyframe = waiting.lastIndex { $0.isVideo && $0.isKeyframe }
        let first = waiting.firstIndex { $0.isVideo }
        guard let first else { return .taken }
        let end = keyframe.flatMap { $0 > first ? $0 : nil } ?? items.endIndex
        var kept: [Item] = []
        kept.reserveCapacity(waiting.count)
        for index in waiting.indices {
            if index < end, items[index].isVideo {
                droppedPictures += 1
                byteCount -= items[index].payload.count
            } else {
                kept.append(items[index])
            }
        }
        items = kept
        head = 0
        guard end == waiting.endIndex else { return .droppedToKeyframe }
        awaitsKeyframe = true
        return isTooLong ? .tooLong : .needsKeyframe
    }
}
