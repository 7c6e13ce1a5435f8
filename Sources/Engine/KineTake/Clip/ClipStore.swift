// The last seconds of a take: keeps encoded frames and audio in order, and discards expired ones. No clock and no
// thread; the disk is behind `ClipScratch`.
import KineContainers
import KineMedia

/// The sizes of a clip buffer.
struct ClipLimits: Sendable, Equatable {
    /// The time that is kept.
    var length: MediaTime
    /// Bytes of samples in memory.
    var memory = 32 << 20
    /// Bytes of the scratch file.
    var disk: Int64 = 4 << 30

    /// The longest time between keyframes while the screen changes, in a take with a clip buffer. A clip begins at one.
    static let keyframeInterval = MediaTime.seconds(2)
}

/// Keeps samples for `ClipLimits.length`, and older ones needed to decode them. Discards frames by group of pictures.
struct ClipStore {
    /// The place of a sample in its track's log.
    struct Unit: Sendable {
        var time: MediaTime
        var position: Int64
        var size: UInt32
        var isKeyframe: Bool
    }

    struct Track {
        var units = NumberedQueue<Unit>()
        var log: ClipLog

        mutating func append(_ sample: EncodedSample) {
            units.append(
                Unit(
                    time: sample.presentationTime, position: log.end, size: UInt32(clamping: sample.data.count),
                    isKeyframe: sample.isKeyframe))
            log.append(sample.data)
        }

        mutating func removeFirst(before index: Int) {
            units.removeFirst(before: index)
            log.discard(before: units.first?.position ?? log.end)
        }
    }

    struct Keyframe: Sendable {
        /// The number of its unit in `video`.
        var number: Int
        /// Nil: as before.
        var format: VideoFormat?
    }

    let limits: ClipLimits
    private(set) var video: Track
    /// The keyframes in `video`.
    private(set) var keyframes = NumberedQueue<Keyframe>()
    /// In the order of `formats`.
    private(set) var audio: [Track]
    let formats: [AudioFormat]
    /// The end of the newest sample.
    private(set) var newest = MediaTime.zero
    /// Samples were discarded early for lack of room.
    private(set) var isShortened = false
    /// The end of the pending export, whose samples must be kept.
    var heldEnd: MediaTime?

    init(limits: ClipLimits, audio formats: [AudioFormat], scratch: ClipScratch) {
        self.limits = limits
        self.formats = formats
        let audioMemory = limits.memory / 8
        video = Track(log: ClipLog(memory: limits.memory - formats.count * audioMemory, scratch: scratch))
        audio = formats.map { _ in Track(log: ClipLog(memory: audioMemory, scratch: scratch)) }
    }

    /// Bytes of samples in memory.
    var memory: Int { audio.reduce(video.log.memory) { $0 + $1.log.memory } }

    /// Adds a sample, discards expired ones. Ignores frames before the first keyframe and samples of unknown tracks.
    mutating func append(_ sample: EncodedSample) {
        if sample.type == .video {
            guard sample.isKeyframe || !video.units.isEmpty else { return }
            if sample.isKeyframe {
                keyframes.append(Keyframe(number: video.units.endIndex, format: sample.format))
            }
            video.append(sample)
            newest = max(newest, sample.presentationTime)
        } else {
            guard let index = formats.firstIndex(where: { $0.type == sample.type }) else { return }
            // A clip's audio is timed by counting, so there must be no gap in it.
            if let last = audio[index].units.last, !follows(last, sample, formats[index]) {
                audio[index].removeFirst(before: audio[index].units.endIndex)
            }
            audio[index].append(sample)
            newest = max(newest, sample.presentationTime + duration(ofUnit: formats[index]))
        }
        discardOld()
        makeRoom()
    }

    /// Removes everything after a loss of samples. The next frame that is kept is a keyframe.
    mutating func removeAll() {
        removeVideo(before: video.units.endIndex)
        for index in audio.indices { audio[index].removeFirst(before: audio[index].units.endIndex) }
    }

    /// The end of the audio track that is furthest behind; nil if no audio track has samples.
    var audioEnd: MediaTime? {
        zip(audio, formats).compactMap { track, format in
            track.units.last.map { $0.time + duration(ofUnit: format) }
        }.min()
    }

    /// The time from which a track's audio can be decoded: the first access unit only prepares the decoder.
    func audioStart(_ index: Int) -> MediaTime? {
        let units = audio[index].units
        return units.count < 2 ? nil : units[units.startIndex + 1].time
    }

    func duration(ofUnit format: AudioFormat) -> MediaTime {
        format.time(ofSample: Int64(format.samplesPerAccessUnit))
    }

    private func follows(_ last: Unit, _ sample: EncodedSample, _ format: AudioFormat) -> Bool {
        let rate = Int32(clamping: format.sampleRate)
        let step = sample.presentationTime.ticks(timescale: rate) - last.time.ticks(timescale: rate)
        return step == Int64(format.samplesPerAccessUnit)
    }

    private mutating func discardOld() {
        let oldest = min(newest, heldEnd ?? newest) - limits.length
        while keyframes.count > 1, video.units[keyframes[keyframes.startIndex + 1].number].time <= oldest {
            removeGroup()
        }
        // A clip may begin a group earlier. A frame that stands still for longer begins when the clip does.
        let needed = max(oldest - ClipLimits.keyframeInterval, video.units.first?.time ?? oldest)
        for index in audio.indices {
            while audio[index].units.count > 2, audio[index].units[audio[index].units.startIndex + 2].time <= needed {
                audio[index].removeFirst(before: audio[index].units.startIndex + 1)
            }
        }
    }

    private mutating func makeRoom() {
        while !video.log.makeRoom() {
            isShortened = true
            removeGroup()
        }
        for index in audio.indices {
            while !audio[index].log.makeRoom() {
                isShortened = true
                let units = audio[index].units
                audio[index].removeFirst(before: units.startIndex + (units.count + 7) / 8)
            }
        }
    }

    /// Removes the oldest group of pictures.
    private mutating func removeGroup() {
        let next = keyframes.count > 1 ? keyframes[keyframes.startIndex + 1].number : video.units.endIndex
        removeVideo(before: next)
    }

    private mutating func removeVideo(before index: Int) {
        video.removeFirst(before: index)
        while let first = keyframes.first, first.number < index {
            keyframes.removeFirst(before: keyframes.startIndex + 1)
        }
    }
}
