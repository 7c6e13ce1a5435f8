// The formats of a finished recording's tracks, for a file that continues them.
import KineMedia

extension RecordingIndex {
    /// The format of a frame; nil for another codec than H.264.
    public func videoFormat(ofFrame frame: Int) -> VideoFormat? {
        h264ParameterSets(ofFrame: frame).map { VideoFormat(parameterSets: .h264($0), size: size(ofFrame: frame)) }
    }

    /// The format of an audio track; nil if it is not AAC in the writer's form.
    public func audioFormat(ofTrack track: Int) -> AudioFormat? {
        guard let configuration = audioSpecificConfig(ofTrack: track), let channels = audioChannels(ofTrack: track)
        else { return nil }
        let (audio, description) = (tracks[track], tracks[track].description)
        let bytes = audio.sizes.reduce(UInt64(0)) { $0 + UInt64($1) }
        let seconds = Double(audio.end) / Double(max(1, description.timescale))
        return AudioFormat(
            type: description.name == "Microphone" ? .audioMic : .audioApp, codec: .aac,
            sampleRate: Int(description.timescale), channels: channels,
            bitrate: seconds > 0 ? Int(Double(bytes) * 8 / seconds) : 0, configuration: configuration,
            samplesPerAccessUnit: Int(description.sampleDuration), primingSamples: Int(description.mediaStart))
    }

    private func audioChannels(ofTrack track: Int) -> Int? {
        // AudioSampleEntry (ISO/IEC 14496-12, 12.2.3).
        var entry = BoxReader(tracks[track].description.sampleEntries[0])
        guard (try? entry.skip(8 + 16)) != nil, let channels = try? entry.integer(UInt16.self), 1...2 ~= channels else {
            return nil
        }
        return Int(channels)
    }
}
