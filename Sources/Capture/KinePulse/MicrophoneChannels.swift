// Brings a voice to the middle: many microphones fill one channel of a stereo source alone, and are heard in one ear.
import KineMedia

/// Mixes the two channels of one microphone. Belongs to the audio thread.
package struct MicrophoneChannels {
    /// The loudness of a block above which it counts as speech: the power of −50 dB, full scale 1.
    private static let speech: Float = 1e-5
    /// A channel with at most this part of the other channel's power has no sound: −40 dB.
    private static let silent: Float = 1e-4
    /// After so many hundredths of a second of speech in one channel alone, that channel goes to both sides.
    private static let oneSidedLimit = 200
    /// Seconds of a fade.
    private static let fade = 0.05

    private let mode: TakeConfiguration.MicrophoneChannels
    private let rate: Int
    /// The block that is being filled: its frames so far, and the power of both channels.
    private var block = (frames: 0, left: Float(0), right: Float(0))
    /// The numbers of consecutive blocks of speech with sound in the left channel alone and in the right channel alone. One is zero.
    private var oneSided = (left: 0, right: 0)
    /// The channel that goes to both sides, if any.
    private var source: Side?
    /// The channel that replaces the other one, and its share of the mix, from 0 to 1.
    private var mix = (source: Side.left, amount: Float(0))

    private enum Side { case left, right }

    package init(_ mode: TakeConfiguration.MicrophoneChannels, rate: Int) {
        (self.mode, self.rate) = (mode, rate)
        switch mode {
        case .left: source = .left
        case .right: source = .right
        case .auto, .stereo, .mono: break
        }
        if let source { mix = (source, 1) }
    }

    /// Mixes interleaved frames of two channels in place.
    package mutating func mix(_ samples: inout [Float]) {
        switch mode {
        case .stereo: return
        case .mono:
            for index in stride(from: 0, to: samples.count - 1, by: 2) {
                let middle = (samples[index] + samples[index + 1]) / 2
                (samples[index], samples[index + 1]) = (middle, middle)
            }
        case .auto, .left, .right:
            let step = Float(1 / (Self.fade * Double(rate)))
            for index in stride(from: 0, to: samples.count - 1, by: 2) {
                let (left, right) = (samples[index], samples[index + 1])
                if mode == .auto { listen(left, right) }
                fade(by: step)
                guard mix.amount > 0 else { continue }
                switch mix.source {
                case .left: samples[index + 1] = left * mix.amount + right * (1 - mix.amount)
                case .right: samples[index] = right * mix.amount + left * (1 - mix.amount)
                }
            }
        }
    }

    private mutating func fade(by step: Float) {
        if mix.amount == 0, let source { mix.source = source }
        let isWanted = source == mix.source
        mix.amount = isWanted ? min(1, mix.amount + step) : max(0, mix.amount - step)
    }

    private mutating func listen(_ left: Float, _ right: Float) {
        block.frames += 1
        block.left += left * left
        block.right += right * right
        guard block.frames * 100 >= rate else { return }
        judge(block.left / Float(block.frames), block.right / Float(block.frames))
        block = (0, 0, 0)
    }

    /// A hundredth of a second is over, with these powers of its channels.
    private mutating func judge(_ left: Float, _ right: Float) {
        guard max(left, right) >= Self.speech else { return }
        switch (left <= right * Self.silent, right <= left * Self.silent) {
        case (true, false): oneSided = (0, oneSided.right + 1)
        case (false, true): oneSided = (oneSided.left + 1, 0)
        default:
            oneSided = (0, 0)
            source = nil
        }
        if oneSided.left >= Self.oneSidedLimit { source = .left }
        if oneSided.right >= Self.oneSidedLimit { source = .right }
        // The other side speaks now.
        if source == .left && oneSided.right > 0 || source == .right && oneSided.left > 0 { source = nil }
    }
}
