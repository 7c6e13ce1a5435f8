// Decodes access units with libavcodec's AAC decoder, for the tests that ask what a player would hear.
import CFFmpeg
import Glibc

/// What comes out of a decoder, interleaved, the priming samples included.
public func decode(_ units: [[UInt8]], config: [UInt8], channels: Int) throws -> [Float] {
    let codec = try present(avcodec_find_decoder_by_name("aac"))
    var context = avcodec_alloc_context3(codec)
    defer { avcodec_free_context(&context) }
    let decoder = try present(context)
    let padding = Int(AV_INPUT_BUFFER_PADDING_SIZE)
    let extradata = try present(av_mallocz(config.count + padding)).assumingMemoryBound(to: UInt8.self)
    for (index, byte) in config.enumerated() { extradata[index] = byte }
    decoder.pointee.extradata = extradata
    decoder.pointee.extradata_size = Int32(config.count)
    try check(avcodec_open2(decoder, codec, nil))
    var packet = av_packet_alloc()
    defer { av_packet_free(&packet) }
    var frame = av_frame_alloc()
    defer { av_frame_free(&frame) }
    let input = try present(packet)
    let output = try present(frame)
    var samples: [Float] = []
    for unit in units {
        try check(av_new_packet(input, Int32(unit.count)))
        for (index, byte) in unit.enumerated() { input.pointee.data[index] = byte }
        try check(avcodec_send_packet(decoder, input))
        av_packet_unref(input)
        while avcodec_receive_frame(decoder, output) >= 0 {
            let count = Int(output.pointee.nb_samples)
            try check(output.pointee.ch_layout.nb_channels == Int32(channels) ? 0 : -1)
            for index in 0..<count {
                for channel in 0..<channels {
                    let plane = try present(output.pointee.extended_data[channel])
                    samples.append(
                        plane.withMemoryRebound(to: Float.self, capacity: count) { $0[index] })
                }
            }
        }
    }
    return samples
}

/// A tone of two partials that differs between channels, from sample `start` of a 48 kHz clock.
public func tone(from start: Int, frames: Int, channels: Int, rate: Double = 48000) -> [Float] {
    var samples: [Float] = []
    samples.reserveCapacity(frames * channels)
    for index in start..<start + frames {
        let t = Double(index) / rate
        for channel in 0..<channels {
            let value = 0.4 * sin(2 * .pi * 440 * t) + 0.2 * sin(2 * .pi * (1250 + 300 * Double(channel)) * t)
            samples.append(Float(value))
        }
    }
    return samples
}

/// Signal to noise of `heard` against `meant`, in decibels.
public func signalToNoise(_ heard: some Collection<Float>, against meant: some Collection<Float>) -> Double {
    var signal = 0.0
    var noise = 0.0
    for (a, b) in zip(heard, meant) {
        signal += Double(b) * Double(b)
        noise += Double(a - b) * Double(a - b)
    }
    return 10 * log10(signal / max(noise, 1e-30))
}

private func check(_ status: Int32) throws {
    guard status >= 0 else { throw TestAudioServer.Failure(description: "the AAC decoder: error \(status)") }
}

private func present<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw TestAudioServer.Failure(description: "the AAC decoder has no memory") }
    return value
}
