// Makes onMetaData, which servers and players show before they decode a stream (Adobe's "Video File Format Specification 10.1",
// annex E.5). A live stream has neither duration nor file size.
import KineMedia

extension RTMPStreamFormat {
    /// The payload of the data message that sets the stream's metadata at the server.
    public func metadata() -> [UInt8] {
        var properties: [AMF0Value.Property] = []
        func add(_ name: String, _ value: Double) { properties.append(.init(name, .number(value))) }
        if let video {
            add("width", Double(video.size.width))
            add("height", Double(video.size.height))
            add("framerate", video.framesPerSecond)
            // Enhanced RTMP writes a codec as the number of its four characters.
            add("videocodecid", video.codec == .h264 ? 7 : Double(video.codec.fourCharacterCode))
            if let bitrate = video.bitrate { add("videodatarate", Double(bitrate) / 1000) }
        }
        if let audio {
            add("audiocodecid", 10)
            add("audiosamplerate", Double(audio.sampleRate))
            add("audiosamplesize", 16)
            add("audiochannels", Double(audio.channels))
            properties.append(.init("stereo", .boolean(audio.channels == 2)))
            add("audiodatarate", Double(audio.bitrate) / 1000)
        }
        properties.append(.init("encoder", .string("Kinecast")))
        return AMF0Encoder.encode([.string("@setDataFrame"), .string("onMetaData"), .ecmaArray(properties)])
    }
}
