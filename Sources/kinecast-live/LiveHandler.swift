// The built-in extension `live`: a broadcast that is watched in a browser, served from this very machine.
import CLinux
import KineMedia
import KinePublish
import KinecastExtension

@main final class LiveHandler: BroadcastSampleHandler {
    private var server: LiveServer?

    required init() {
        // One heap for all threads: several would each keep what they once used, and the limit is the process's.
        mallopt(M_ARENA_MAX, 1)
        super.init()
    }

    override func broadcastStarted(withSetupInfo setupInfo: [String: String]) async throws {
        let settings = try LiveSettings(setupInfo: setupInfo)
        var format = LiveFormat(video: nil, audio: [])
        if case .h264(let video) = context.video { format.video = video }
        for case .aac(let audio) in [context.audioApp, context.audioMic] { format.audio.append(audio) }
        let server = try await LiveServer.start(
            settings, format: format, wantsKeyframe: { [weak self] in self?.requestKeyframe() },
            observe: { [weak self] viewers, sentBytes in
                self?.viewers = viewers
                self?.sentBytes = sentBytes
            })
        self.server = server
        announce(link: server.link)
    }

    override func processSampleBuffer(
        _ sampleBuffer: borrowing SampleBuffer, with sampleBufferType: SampleBufferType
    ) async {
        guard let server else { return }
        sampleBuffer.withBytes { bytes in
            bytes.withUnsafeBytes {
                server.publish(
                    sampleBufferType, presentationTime: sampleBuffer.presentationTime,
                    isKeyframe: sampleBuffer.isKeyframe, bytes: $0)
            }
        }
    }

    override func broadcastPaused() async { server?.pause() }
    override func broadcastResumed() async { server?.resume() }
    override func broadcastFinished() async { await server?.finish() }
}
