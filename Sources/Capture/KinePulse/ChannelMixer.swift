// Mixes channels that have numbers instead of places (left, right): PipeWire's and PulseAudio's profile Pro Audio gives a card such channels.

/// Adds each received channel to a delivered one: even numbers to the left, odd numbers to the right. Used by one thread.
final class ChannelMixer {
    /// Channels in each received frame.
    let received: Int
    private let delivered: Int
    private var mixed: [Float] = []

    init(from received: Int, to delivered: Int) { (self.received, self.delivered) = (max(1, received), delivered) }

    /// `samples`: interleaved, whole frames. `body` gets the mixed samples; the buffer is valid during its call.
    func mix(_ samples: UnsafeBufferPointer<Float>, _ body: (UnsafeBufferPointer<Float>) -> Void) {
        let frames = samples.count / received
        mixed.removeAll(keepingCapacity: true)
        mixed.append(contentsOf: repeatElement(0, count: frames * delivered))
        for frame in 0..<frames {
            for channel in 0..<received {
                mixed[frame * delivered + channel % delivered] += samples[frame * received + channel]
            }
            // A single channel is heard on both sides.
            for channel in received..<max(received, delivered) {
                mixed[frame * delivered + channel] = samples[frame * received]
            }
        }
        mixed.withUnsafeBufferPointer(body)
    }
}
