// The window: it decodes the app's own access units again, so it shows what viewers see.
import CPreviewWindow
import Dispatch
import KineCodecs
import KineMedia
import Synchronization

/// A window of the X display that DISPLAY names. Decodes and draws on a queue of its own, and never delays the encoder.
final class Preview: @unchecked Sendable {
    // Unchecked: `decoder`, `window` and `isBroken` are used by tasks of `queue` alone, one after the other, and in deinit.
    private let queue = DispatchQueue(label: "preview")
    private let decoder: H264Decoder
    private var window: OpaquePointer?
    /// Access units were left out: what follows cannot be decoded before the next keyframe.
    private var isBroken = true
    private let waiting = Mutex(0)

    /// Access units that may wait. Two seconds of them: the next keyframe is no farther.
    private static let mostWaiting = 60

    /// Nil where no window can be opened.
    init?(_ sets: H264ParameterSets, size: PixelSize) throws(H264Decoder.Error) {
        // One thread: a frame is shown when it comes, not when the next ones have.
        decoder = try H264Decoder(sets, threads: 1)
        window = preview_window_open("HostEncode", Int32(size.width), Int32(size.height))
        if window == nil { return nil }
    }

    deinit { preview_window_close(window) }

    func show(_ sample: EncodedSample) {
        let isLate = waiting.withLock { waiting in
            waiting += 1
            return waiting > Self.mostWaiting
        }
        queue.async { [self] in
            waiting.withLock { $0 -= 1 }
            if isLate { isBroken = true } else { decode(sample) }
        }
    }

    private func decode(_ sample: EncodedSample) {
        guard window != nil, !isBroken || sample.isKeyframe else { return }
        do {
            var isOpen = true
            try decoder.decode(sample.data) { frame in
                isOpen = preview_window_show(
                    window, frame.y, frame.u, frame.v, Int32(frame.lumaStride), Int32(frame.chromaStride))
            }
            isBroken = false
            guard !isOpen else { return }
            preview_window_close(window)
            window = nil
            say("the window was closed; the stream goes on")
        } catch {
            isBroken = true
        }
    }
}
