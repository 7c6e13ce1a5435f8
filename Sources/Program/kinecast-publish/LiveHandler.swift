// The built-in extension `live`: serves a broadcast to browsers, from this machine.
import CLinux
import KineLive
import KineMedia
import KinePublish
import KinecastExtension

final class LiveHandler: BroadcastSampleHandler {
    private var server: LiveServer?

    required init() {
        // A TLS connection has a receive buffer of 32 KB, of which a request uses one page. The rest does not become
        // resident if the buffer is its own mapping, for which the heap must have no spare room.
        mallopt(M_MMAP_THRESHOLD, 32 << 10)
        mallopt(M_TOP_PAD, 0)
        Self.allowManyConnections()
        super.init()
    }

    /// Raises the usual limit of 1024 descriptors, which is less than the possible number of viewers.
    private static func allowManyConnections() {
        let descriptors = __rlimit_resource_t(7)  // RLIMIT_NOFILE, which is not imported
        var limit = rlimit()
        guard getrlimit(descriptors, &limit) == 0 else { return }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 4096))
        setrlimit(descriptors, &limit)
    }

    override func broadcastStarted(withSetupInfo setupInfo: [String: String]) async throws {
        var settings = try LiveSettings(setupInfo: setupInfo)
        settings.boundSocket = PassedFiles.descriptor(for: "listen")
        if let chain = PassedFiles.contents(for: "tls-cert"), let key = PassedFiles.contents(for: "tls-key") {
            settings.certificate?.contents = .init(chain: chain, key: key)
        }
        var format = LiveFormat(video: nil, audio: [])
        if case .encoded(let video) = context.video { format.video = video }
        for case .aac(let audio) in [context.audioApp, context.audioMic] { format.audio.append(audio) }
        var events = LiveServer.Events()
        events.wantsKeyframe = { [weak self] in self?.requestKeyframe() }
        events.observe = { [weak self] viewers, sentBytes in
            self?.viewers = viewers
            self?.sentBytes = sentBytes
        }
        events.warn = { [weak self] warning in self?.warn("\(warning)") }
        let server = try await LiveServer.start(settings, format: format, events: events)
        self.server = server
        announce(server.links)
    }

    override func broadcastLinkRenewalRequested() async {
        if let server { announce(server.renewLinks()) }
    }

    private func announce(_ links: LiveLinks) { announce(link: links.page, player: links.player, isRenewable: true) }

    override func processSampleBuffer(
        _ sampleBuffer: borrowing SampleBuffer, with sampleBufferType: SampleBufferType
    ) async {
        guard let server else { return }
        sampleBuffer.withBytes { bytes in
            bytes.withUnsafeBytes {
                server.publish(
                    sampleBufferType, presentationTime: sampleBuffer.presentationTime,
                    isKeyframe: sampleBuffer.isKeyframe, bytes: $0, format: sampleBuffer.keyframeFormat)
            }
        }
    }

    override func broadcastPaused() async { server?.pause() }
    override func broadcastResumed() async { server?.resume() }
    override func broadcastFinished() async { await server?.finish() }
}
