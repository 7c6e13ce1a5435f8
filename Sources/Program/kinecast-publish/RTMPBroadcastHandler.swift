// The built-in extension `rtmp`: pushes a broadcast to an RTMP server.
import KineContainers
import KineMedia
import KinePublish
import KineRTMP
import KinecastExtension

final class RTMPBroadcastHandler: BroadcastSampleHandler {
    private var publisher: RTMPPublisher?
    /// The one audio track that is sent; RTMP carries only one.
    private var audioType: SampleBufferType?

    override func broadcastStarted(withSetupInfo setupInfo: [String: String]) async throws {
        var settings = try RTMPSettings(setupInfo: setupInfo)
        settings.certificateAuthorityContents = PassedFiles.contents(for: "ca-file")
        var format = RTMPStreamFormat(video: nil, audio: nil)
        if case .encoded(let video) = context.video {
            format.video = .init(
                video, framesPerSecond: Double(context.framesPerSecond), bitrate: context.averageBitrate)
        }
        for case .aac(let audio) in [context.audioApp, context.audioMic] {
            guard audioType == nil else {
                warn("RTMP carries one audio track: the microphone is left out; mix both into one track to have it.")
                break
            }
            audioType = audio.type
            format.audio = audio
        }
        let publisher = RTMPPublisher(settings, format: format) { [weak self] in self?.handle($0) }
        self.publisher = publisher
        report(state: "connecting to \(settings.url)")
        report(isLive: false)
        try await publisher.start()
    }

    override func processSampleBuffer(
        _ sampleBuffer: borrowing SampleBuffer, with sampleBufferType: SampleBufferType
    ) async {
        guard let publisher, sampleBufferType == .video || sampleBufferType == audioType else { return }
        sampleBuffer.withBytes { bytes in
            bytes.withUnsafeBytes {
                publisher.publish(
                    sampleBufferType, presentationTime: sampleBuffer.presentationTime,
                    isKeyframe: sampleBuffer.isKeyframe, bytes: $0)
            }
        }
    }

    override func broadcastFinished() async {
        if let failure = await publisher?.finish() { report(isLive: false, reason: failure.description) }
    }

    private nonisolated func handle(_ event: RTMPEvent) {
        switch event {
        case .status(let status):
            sentBytes = status.sentBytes
            connectionStatistics = Self.statistics(status, after: connectionStatistics)
            report(state: status.state.rawValue)
            switch status.state {
            case .live: report(isLive: true)
            case .starting, .reconnecting: report(isLive: false)
            case .finished, .failed: break
            }
        case .interrupted(let failure, let delay):
            report(isLive: false, reason: failure.withoutRetry().description)
            let next = Int(delay.rounded(.up))
            warn(next > 0 ? "\(failure) The next attempt is in \(next) s." : failure.description)
        case .failed(let failure): finishBroadcastWithError(failure)
        case .target(let target):
            requestEncoding(
                averageBitrate: target?.bitrate,
                maximumFrameRate: target.flatMap {
                    $0.frameDivisor > 1 ? Double(context.framesPerSecond) / Double($0.frameDivisor) : nil
                })
        case .keyframeNeeded: requestKeyframe()
        }
    }

    private nonisolated static func statistics(
        _ status: RTMPStatus, after last: ConnectionStatistics?
    ) -> ConnectionStatistics {
        var statistics = ConnectionStatistics()
        let isOver = status.state == .finished || status.state == .failed
        // At the end, uptime and bitrate of the last connection are kept.
        statistics.uptime = isOver ? last?.uptime : status.uptime
        statistics.bitrate = isOver ? last?.bitrate : status.state == .live ? status.bitrate : 0
        statistics.reconnects = status.reconnects
        statistics.queueMilliseconds = status.queueMilliseconds
        statistics.roundTripMilliseconds = status.roundTrip
        statistics.framesDropped = status.droppedFrames
        return statistics
    }
}
