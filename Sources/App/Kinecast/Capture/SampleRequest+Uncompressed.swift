// What an app gets that asks for nothing in particular.
import KineMedia

extension SampleRequest {
    /// Every frame as I420 in the take's own size, the app's audio and the microphone's as they are.
    public static let uncompressed = SampleRequest(
        video: .raw(pixelFormat: .i420), appAudio: .pcm, micAudio: .pcm)
}
