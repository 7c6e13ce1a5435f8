// The handler of a broadcast to a server, over any publisher.
import KineMedia
import KinePublisher
import KinecastExtension

/// Gives a broadcast's samples to the destination's publisher, and tells the engine what the publisher reports.
package final class PublisherBroadcastHandler<Destination: PublisherDestination>: BroadcastSampleHandler {
    private(set) var publisher: Destination.Stream?
    /// The audio tracks that are sent.
    private var audioTypes: [SampleBufferType] = []

    package override func broadcastStarted(withSetupInfo setupInfo: [String: String]) async throws {
        let destination = try Destination(setupInfo: setupInfo)
        let stream = publishedStream()
        audioTypes = stream.audio.map(\.type)
        let publisher = destination.publisher(of: stream) { [weak self] in self?.handle($0) }
        self.publisher = publisher
        report(state: "connecting to \(destination.address)")
        report(isLive: false)
        try await publisher.start()
    }

    private func publishedStream() -> PublishedStream {
        var stream = PublishedStream(framesPerSecond: Double(context.framesPerSecond), bitrate: context.averageBitrate)
        if case .encoded(let video) = context.video { stream.video = video }
        for case .aac(let audio) in [context.audioApp, context.audioMic] {
            guard stream.audio.isEmpty || Destination.carriesSeparateAudio else {
                warn(
                    "\(Destination.protocolName) carries one audio track: the microphone is left out; "
                        + "mix both into one track to have it.")
                break
            }
            stream.audio.append(audio)
        }
        return stream
    }

    package override func processSampleBuffer(
        _ sampleBuffer: borrowing SampleBuffer, with sampleBufferType: SampleBufferType
    ) async {
        guard let publisher, sampleBufferType == .video || audioTypes.contains(sampleBufferType) else { return }
        sampleBuffer.withBytes { bytes in
            bytes.withUnsafeBytes {
                publisher.publish(
                    sampleBufferType, presentationTime: sampleBuffer.presentationTime,
                    isKeyframe: sampleBuffer.isKeyframe, bytes: $0, format: sampleBuffer.keyframeFormat)
            }
        }
    }

    package override func broadcastPaused() async { publisher?.pause() }
    package override func broadcastResumed() async { publisher?.resume() }

    package override func broadcastFinished() async {
        if let failure = await publisher?.finish() { reportNotLive(failure) }
    }

    private nonisolated func handle(_ event: PublisherEvent) {
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
        case .link(let address): announce(link: address)
        case .interrupted(let failure, let delay):
            reportNotLive(failure.withoutRetry())
            let next = Int(delay.rounded(.up))
            warn(
                next > 0 ? "\(failure.description) The next attempt is in \(next) s." : failure.description,
                failure.problem)
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
        _ status: PublisherStatus, after last: ConnectionStatistics?
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
