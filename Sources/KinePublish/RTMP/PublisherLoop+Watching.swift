// A publisher's watch on its connection: whether it moves, what the network takes, what is told of it.
import KineRTMP
import NIOCore

extension PublisherLoop {
    private static let measureInterval = TimeAmount.milliseconds(250)

    /// Where only a quality was chosen, there is no rate that would be too much: it begins at what is plenty for a desktop,
    /// which `--preset replaykit` has as well, and means what was chosen.
    static func controller(_ settings: RTMPSettings, _ format: RTMPStreamFormat) -> BitrateController {
        let chosen = format.video.map { $0.bitrate ?? 12 * $0.width * $0.height } ?? settings.minimumBitrate
        return BitrateController(
            range: min(settings.minimumBitrate, chosen)...chosen, reserved: format.audio?.bitrate ?? 0)
    }

    func beginMeasuring(_ id: ReconnectStateMachine.ConnectionID) {
        stopMeasuring()
        meter = ConnectionMeter(
            id, stallDeadline: settings.stallDeadline, provingTime: settings.provingTime, now: now)
        measuring = eventLoop.scheduleRepeatedTask(
            initialDelay: Self.measureInterval, delay: Self.measureInterval
        ) { _ in self.measure(id) }
    }

    func stopMeasuring() {
        measuring?.cancel()
        measuring = nil
        meter = nil
    }

    private func measure(_ id: ReconnectStateMachine.ConnectionID) {
        guard let channel = clients[id]?.channel else { return }
        TCPStatistics.read(channel).assumeIsolated().whenSuccess { statistics in
            guard self.meter?.connection == id, self.machine.measured == id else { return }
            let buffered = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
            let waiting = self.queue.byteCount + buffered + (statistics?.unsentBytes ?? 0)
            self.measured(id, statistics, waiting: waiting)
            if self.machine.sending == id, self.meter?.isDue() == true { self.report(.live) }
        }
    }

    private func measured(_ id: ReconnectStateMachine.ConnectionID, _ statistics: TCPStatistics?, waiting: Int) {
        if let statistics, let verdict = meter?.look(statistics, waiting: waiting, now: now) {
            switch verdict {
            case .moving: perform(machine.moved(id))
            case .silent: break
            case .absent: perform(machine.absent(id))
            case .stalled: return stalled(id)
            }
        }
        guard machine.sending == id else { return }
        if meter?.proves(delivered: statistics?.deliveredBytes ?? status.sentBytes, now: now) == true {
            machine.proved(id)
        }
        guard let statistics else { return }
        status.roundTrip = Double(statistics.roundTrip) / 1e6
        let before = controller.target
        let target = controller.update(
            .init(now: now, waitingBytes: waiting, deliveredBytes: statistics.deliveredBytes))
        if target != before, format.video != nil { observe(.target(controller.isUnlimited ? nil : target)) }
        status.bitrate = Int(controller.throughput ?? 0)
    }

    private func stalled(_ id: ReconnectStateMachine.ConnectionID) {
        noteAddress(of: id)
        stopMeasuring()
        let failure = PublishFailure(
            .lost,
            "The server \(machine.destination.url) has taken nothing for \(settings.stallDeadline / 1_000_000_000) "
                + "seconds; a new connection is made.")
        perform(machine.stalled(id, failure, now: now, chance: chance))
    }

    func report(_ state: RTMPStatus.State) {
        status.state = state
        var now = status
        now.uptime = state == .live ? Double(self.now - (meter?.liveSince ?? self.now)) / 1e9 : 0
        // What the kernel holds has left the queue, and the queue may hold what comes in a burst. Where nothing arrives, the time
        // until it will is unknown; what waits is no older than the wait.
        now.queueMilliseconds = max(Int(queue.duration), Int(min(controller.delay, controller.busy, 3600) * 1000))
        now.droppedPictures += queue.droppedPictures
        observe(.status(now))
    }
}
