// The audio tracks of a finished recording, for a decoder.
import KineMedia

extension RecordingIndex {
    /// The numbers of the audio tracks.
    public var audioTracks: Range<Int> { 1..<(input ?? tracks.count) }

    /// AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1) of an audio track; nil if it is not AAC in the writer's form.
    public func audioSpecificConfig(ofTrack track: Int) -> [UInt8]? {
        guard tracks.indices.contains(track) else { return nil }
        return try? BoxReader(tracks[track].description.sampleEntries[0]).audioSpecificConfig()
    }

    /// The access units with the audio between two times; empty if the track ends before.
    public func audioUnits(ofTrack track: Int, from start: MediaTime, to end: MediaTime) -> Range<Int> {
        let audio = tracks[track]
        func tick(_ time: MediaTime) -> UInt64 {
            UInt64(max(0, time.ticks(timescale: Int32(clamping: audio.description.timescale))))
                + UInt64(audio.description.mediaStart)
        }
        let (first, last) = (tick(start), tick(end))
        guard first < last, first < audio.end else { return 0..<0 }
        return audio.sample(atTick: first)..<audio.sample(atTick: last - 1) + 1
    }

    /// The number of access units of a track.
    public func audioUnitCount(ofTrack track: Int) -> Int { tracks[track].sizes.count }

    /// An access unit of an audio track.
    public func audioUnit(
        _ unit: Int, ofTrack track: Int, in file: any StorageFile
    ) throws(StorageError) -> [UInt8] {
        try file.read(at: tracks[track].offsets[unit], count: Int(tracks[track].sizes[unit]))
    }
}

extension BoxReader {
    /// Reads the esds of a sample entry `mp4a`, this reader's only box (ISO/IEC 14496-1, 7.2.6.5).
    fileprivate func audioSpecificConfig() throws(MalformedBox) -> [UInt8] {
        var entry = try box("mp4a")
        try entry.skip(28)  // the fields of every AudioSampleEntry (ISO/IEC 14496-12, 12.2.3)
        var descriptor = try entry.box("esds")
        try descriptor.skip(4)
        // The writer's descriptors have lengths of one byte, and no optional fields.
        for (tag, fields) in [(0x03, 3), (0x04, 13), (0x05, 0)] {
            guard try descriptor.integer(UInt8.self) == tag else { throw MalformedBox() }
            let length = Int(try descriptor.integer(UInt8.self))
            guard length < 0x80, length <= descriptor.remaining else { throw MalformedBox() }
            if tag == 0x05 { return Array(descriptor.rest().prefix(length)) }
            try descriptor.skip(fields)
        }
        throw MalformedBox()
    }
}
