// A publisher's watch on its connection: deadlines, what the network takes, what is told of it.
import KineRTMP
import NIOCore

extension PublisherLoop {
    private static let measureInterval = TimeAmount.milliseconds(250)
    /// Nanoseconds without any acknowledgement after which the network may be away.
    private static let absence: Int64 = 1_500_000_000

    /// Where only a quality was chosen, there is no rate that would be too much: it begins at what is plenty for a desktop,
    /// which `--preset replaykit` has as well, and means what was chosen.
    static func controller(_ settings: RTMPSettings, _ format: RTMPStreamFormat) -> BitrateController {
        let chosen = format.video.map { $0.bitrate ?? 12 * $0.width * $0.height } ?? settings.minimumBitrate
        return BitrateController(
            range: min(settings.minimumBitrate, chosen)...chosen, reserved: format.audio?.bitrate ?? 0)
    }

    func beginMeasuring() {
        measuring?.cancel()
        measuring = eventLoop.scheduleRepeatedTask(initialDelay: Self.measureInterval, delay: Self.measureInterval) {
            _ in
            self.measure()
        }
    }

    func scheduleDeadline() {
        deadlineTimer?.cancel()
        guard let deadline = session?.deadline else { return }
        let mine = number
        deadlineTimer = eventLoop.scheduleTask(in: .nanoseconds(max(0, deadline - now))) {
            guard mine == self.number else { return }
            self.perform(self.session?.tick(now: self.now) ?? [])
        }
    }

    func measure() {
        guard let channel, phase == .live || phase == .finishing || phase == .connecting else { return }
        let mine = number
        TCPStatistics.read(channel).whenSuccess { statistics in
            guard mine == self.number, let channel = self.channel else { return }
            let buffered = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
            self.measured(statistics, waiting: self.queue.byteCount + buffered)
        }
    }

    func measured(_ statistics: TCPStatistics?, waiting: Int) {
        let waiting = waiting + (statistics?.unsentBytes ?? 0)
        if let statistics, !isMovingOn(statistics, waiting: waiting) { return }
        guard phase != .connecting else { return }
        prove(statistics)
        if let statistics {
            status.roundTrip = Double(statistics.roundTrip) / 1e6
            let before = controller.target
            let target = controller.update(
                .init(now: now, waitingBytes: waiting, deliveredBytes: statistics.deliveredBytes))
            if target != before, format.video != nil { observe(.target(controller.isUnlimited ? nil : target)) }
            status.bitrate = Int(controller.throughput ?? 0)
        }
        measured += 1
        if measured % 2 == 0 { report(.live) }
    }

    /// Attempts count from the first again once a connection has lasted, and what was sent arrives.
    private func prove(_ statistics: TCPStatistics?) {
        guard !hasProvedItself else { return }
        let delivered = statistics?.deliveredBytes ?? status.sentBytes
        let before = deliveredWhenLive ?? delivered
        deliveredWhenLive = before
        guard delivered > before, now - liveSince >= settings.provingTime else { return }
        hasProvedItself = true
        policy.connected()
    }

    /// Whether the peer takes something, or nothing waits for it; leaves the connection when it has not for too long.
    private func isMovingOn(_ statistics: TCPStatistics, waiting: Int) -> Bool {
        let isIdle = waiting == 0 && !statistics.isUnacknowledged
        if statistics.deliveredBytes != progress.delivered || isIdle {
            progress = (statistics.deliveredBytes, now)
            // Looking for another connection was too early.
            reach.stop()
            return true
        }
        let silence = now - progress.at
        if silence >= settings.stallDeadline {
            retire()
            failed(
                PublishFailure(
                    .lost,
                    "The server \(url) has taken nothing for \(settings.stallDeadline / 1_000_000_000) seconds; "
                        + "a new connection is made."))
            return false
        }
        // Sent again and again, and no answer: the network is away. When it is back, a knock hears of it at once, but a
        // connection only when it sends again, which it does ever more seldom.
        if phase != .finishing, !isConsidering, silence >= Self.absence, statistics.retransmissions >= 2 {
            reach.look(for: url)
        }
        return true
    }

    func report(_ state: RTMPStatus.State) {
        status.state = state
        var now = status
        now.uptime = state == .live ? Double(self.now - liveSince) / 1e9 : 0
        // What the kernel holds has left the queue, and the queue may hold what comes in a burst. Where nothing arrives, the time
        // until it will is anybody's guess; what waits is no older than the wait.
        now.queueMilliseconds = max(Int(queue.duration), Int(min(controller.delay, controller.busy, 3600) * 1000))
        now.droppedPictures += queue.droppedPictures
        observe(.status(now))
    }
}
