// A publisher's measurements: its connection's progress, the network's throughput, and the reports that follow from them.
import KineRTMP
import NIOCore

extension PublisherLoop {
    private static let measureInterval = TimeAmount.milliseconds(250)

    /// If the user chose a quality, there is no initial bitrate. 12 bit/s for each pixel are more than enough for a
    /// desktop, and count as no limit; `--settings replaykit` has as much.
    static func controller(_ settings: RTMPSettings, _ format: RTMPStreamFormat) -> BitrateController {
        let chosen = format.video.map { $0.bitrate ?? 12 * $0.size.width * $0.size.height } ?? settings.minimumBitrate
        return BitrateController(
            range: min(settings.minimumBitrate, chosen)...chosen, reserved: format.audio?.bitrate ?? 0)
    }

    func beginMeasuring(_ id: ConnectionID) {
        stopMeasuring()
        meter = ConnectionMeter(id, settings, now: now)
        measuring = eventLoop.scheduleRepeatedTask(
            initialDelay: Self.measureInterval, delay: Self.measureInterval
        ) { _ in self.measure(id) }
    }

    func stopMeasuring() {
        measuring?.cancel()
        measuring = nil
        meter = nil
    }

    private func measure(_ id: ConnectionID) {
        guard let channel = clients[id]?.channel else { return }
        TCPStatistics.read(channel).assumeIsolated().whenSuccess { statistics in
            guard self.meter?.connection == id, self.machine.measured == id, let client = self.clients[id] else {
                return
            }
            client.acknowledged(statistics?.deliveredBytes)
            // A first frame waits for audio for a time.
            if !client.hasBegun { self.drain() }
            let buffered = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
            let waiting = self.queue.byteCount + buffered + (statistics?.unsentBytes ?? 0)
            self.measured(id, statistics, waitingBytes: waiting)
            if self.machine.isLive, self.meter?.isReportDue() == true { self.report(.live) }
        }
    }

    private func measured(_ id: ConnectionID, _ statistics: TCPStatistics?, waitingBytes: Int) {
        if let statistics, let verdict = meter?.update(statistics, waiting: waitingBytes, now: now) {
            switch verdict {
            case .progressing: perform(machine.progressed(id))
            case .silent: break
            case .suspect: perform(machine.suspected(id))
            case .stalled: return stalled(id)
            }
        }
        guard machine.sending == id else { return }
        if meter?.proves(delivered: statistics?.deliveredBytes ?? Int64(status.sentBytes), now: now) == true {
            machine.proved(id)
        }
        guard let statistics else { return }
        status.roundTrip = Double(statistics.roundTrip) / 1e6
        let before = controller.target
        let target = controller.update(
            now: now, waitingBytes: waitingBytes, deliveredBytes: statistics.deliveredBytes)
        if target != before, format.video != nil { observe(.target(controller.isUnlimited ? nil : target)) }
        status.bitrate = Int(controller.throughput ?? 0)
    }

    private func stalled(_ id: ConnectionID) {
        noteFailedAddress(of: id)
        stopMeasuring()
        let code = PublishFailure.Code.nothingAcknowledged(seconds: settings.stallDeadline / 1_000_000_000)
        perform(machine.stalled(id, PublishFailure(code, machine.destination.url), now: now, jitter: jitter))
    }

    func report(_ state: RTMPStatus.State) {
        status.state = state
        var current = status
        current.uptime = state == .live ? Double(now - (meter?.liveSince ?? now)) / 1e9 : 0
        // The kernel has waiting bytes too, besides the queue. While nothing arrives, the delay is unknown; it is
        // capped at the time for which bytes have been waiting.
        current.queueMilliseconds = max(
            Int(queue.duration), Int(min(controller.delay, controller.busy, 3600) * 1000))
        current.droppedFrames += queue.droppedFrames
        observe(.status(current))
    }
}
