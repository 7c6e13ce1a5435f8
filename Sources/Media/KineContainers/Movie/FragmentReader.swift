// Reads fragments in the writer's form only. A fragment of another form, or one that contradicts itself, is damaged.
import KineMedia

/// The content of a moof, checked for consistency with itself and with its movie.
struct ParsedFragment {
    struct Run {
        /// Index of the track in the movie.
        var track: Int
        /// Ticks at which the first sample starts.
        var start: UInt64
        /// Bytes from the moof's first byte to the first sample.
        var dataOffset: Int
        /// Ticks; nil if all samples have the track's duration.
        var durations: [UInt32]?
        var sizes: [UInt32]
        /// Nil if all are sync samples.
        var isSync: [Bool]?
    }

    var runs: [Run]
    /// Bytes of the moof.
    var movieFragmentSize: Int
    /// Bytes of all samples: the content of the mdat.
    var payloadSize: Int

    /// Later times are damage. Sums with this limit cannot overflow.
    private static let latestStart: UInt64 = 1 << 60

    init(reading content: BoxReader, movie: MovieDescription) throws(MalformedBox) {
        movieFragmentSize = content.remaining + 8
        payloadSize = 0
        runs = []
        var boxes = content
        guard let header = try boxes.nextBox(), header.type == "mfhd" else { throw MalformedBox() }
        while let box = try boxes.nextBox() {
            guard box.type == "traf" else { throw MalformedBox() }
            let run = try Run(reading: box.content, movie: movie)
            // One run per track, in the order of the tracks, the data without gaps after the mdat's header.
            guard run.track > runs.last?.track ?? -1, run.dataOffset == movieFragmentSize + 8 + payloadSize else {
                throw MalformedBox()
            }
            payloadSize += run.sizes.reduce(0) { $0 + Int($1) }
            runs.append(run)
        }
        guard !runs.isEmpty, payloadSize <= Int(UInt32.max) - 8 else { throw MalformedBox() }
    }

    /// The bytes of the complete and plausible samples at the start of `payload`, which the file's end may have cut.
    func intactPrefix(of payload: [UInt8], movie: MovieDescription) -> Int {
        var position = 0
        for run in runs {
            for size in run.sizes {
                guard position + Int(size) <= payload.count else { return position }
                let sample = payload[position..<position + Int(size)]
                guard Self.isPlausible(sample, of: movie.tracks[run.track]) else { return position }
                position += Int(size)
            }
        }
        return position
    }

    /// Whether a sample can belong to that track. An AAC access unit is never all zeros, but a hole in a file is.
    private static func isPlausible(_ sample: ArraySlice<UInt8>, of track: TrackDescription) -> Bool {
        switch track.kind {
        case .video(let codec, _): codec.isAccessUnit(sample)
        case .audio: sample.contains { $0 != 0 }
        // One line of JSON at least; of a hole, not even the last byte is right.
        case .input: sample.first == UInt8(ascii: "{") && sample.last == UInt8(ascii: "\n")
        }
    }

    /// Removes the samples that are not complete in the first `available` bytes of the payload.
    mutating func cut(to available: Int) {
        for index in runs.indices {
            var end = runs[index].dataOffset - movieFragmentSize - 8
            let kept = runs[index].sizes.prefix {
                end += Int($0)
                return end <= available
            }.count
            runs[index].sizes.removeSubrange(kept...)
            runs[index].durations?.removeSubrange(kept...)
            runs[index].isSync?.removeSubrange(kept...)
        }
        runs.removeAll { $0.sizes.isEmpty }
    }
}

extension ParsedFragment.Run {
    fileprivate init(reading content: BoxReader, movie: MovieDescription) throws(MalformedBox) {
        var header = try content.box("tfhd")
        guard try header.versionAndFlags().flags == MovieFragment.defaultBaseIsMoof else { throw MalformedBox() }
        let id = try header.integer(UInt32.self)
        guard let track = movie.tracks.firstIndex(where: { $0.id == id }) else { throw MalformedBox() }
        self.track = track

        var time = try content.box("tfdt")
        guard try time.versionAndFlags().version == 1 else { throw MalformedBox() }
        start = try time.integer()
        guard start <= ParsedFragment.latestStart else { throw MalformedBox() }

        var samples = try content.box("trun")
        let description = movie.tracks[track]
        guard try samples.versionAndFlags() == (0, MovieFragment.runFlags(of: description)) else {
            throw MalformedBox()
        }
        let count = Int(try samples.integer(UInt32.self))
        dataOffset = Int(try samples.integer(UInt32.self))
        guard count > 0, samples.remaining == count * MovieFragment.sampleSize(of: description) else {
            throw MalformedBox()
        }
        sizes = []
        sizes.reserveCapacity(count)
        if description.hasOwnDurations { durations = [] }
        if description.isVideo { isSync = [] }
        while samples.remaining > 0 {
            durations?.append(try samples.integer())
            sizes.append(try samples.integer())
            isSync?.append(try samples.integer(UInt32.self) == TrackDescription.syncSampleFlags)
        }
        // A hole in the file reads as samples without bytes, millions in one fragment.
        guard !sizes.contains(0), durations?.contains(0) != true else { throw MalformedBox() }
    }
}
