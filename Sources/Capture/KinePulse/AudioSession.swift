// The thread of `AudioCapture`: runs the connection's loop, compares the open streams with the required ones, and opens
// lost ones again. `AudioTarget` decides which are required.
import KinePlatform

final class AudioSession {
    private let connection: PulseConnection
    private var targets: [AudioTarget]
    /// Indices of the targets that are not recorded now.
    private var off: Set<Int>
    private let channels: Int
    /// The server belongs to the take.
    private let isPrivate: Bool
    private var pace: AudioPace
    private let receiver: any AudioReceiver
    private let handle: Handle
    private var streams: [AudioStreamID: (stream: PulseRecordStream, target: Int)] = [:]
    private var nextID = 0
    private var hasBegun = false
    private var isAsking = false
    private var hasNews = false
    private var isHurried = false
    private var connectionLost = false
    private var retryAt: Int64?
    /// The last condition of each target; nil while it is off.
    private var conditions: [AudioCondition?]
    /// The instant at which each application was first found turned down, while the warning waits.
    private var faintSince: [Int: Int64] = [:]
    /// The server's devices and applications at the last question.
    private var inventory: AudioInventory?
    private var unrecorded = UnrecordedOutputs()
    private var listening: [PulsePeakStream] = []
    private var microphoneChanges: [Int: MicrophoneChanges] = [:]
    /// The default microphone was a real one: if it is unplugged, no monitor of an output replaces it.
    private var hadMicrophone = false

    /// Nanoseconds between attempts to reach a lost server or device.
    private static let retryInterval: Int64 = 1_000_000_000
    /// An application that is turned down for so many nanoseconds gets a warning. PipeWire gives a stream that has just begun
    /// the volume 0 for a moment.
    private static let faintInterval: Int64 = 500_000_000

    /// Nil without libpulse or memory; `handle` gets the error.
    init?(
        targets: [AudioTarget], off: Set<Int>, channels: Int, server: String?, isPrivate: Bool, pace: AudioPace,
        receiver: any AudioReceiver, handle: Handle
    ) {
        do { connection = try PulseConnection(server: server) } catch {
            handle.settle(.failure(.noServer(error)))
            return nil
        }
        self.targets = targets
        self.off = off
        self.channels = channels
        self.isPrivate = isPrivate
        self.pace = pace
        self.receiver = receiver
        self.handle = handle
        conditions = Array(repeating: nil, count: targets.count)
    }

    /// Runs the loop until `handle` is stopped.
    func run() {
        handle.attach(connection.waker)
        defer {
            handle.attach(nil)
            for changes in microphoneChanges.values where changes.count > 1 {
                receiver.audioWarning(.microphoneChanges(changes.count))
            }
            for (stream, _) in streams.values { stream.close() }
            for stream in listening { stream.close() }
            connection.close()
        }
        connection.connect()
        var quietUntil = MonotonicClock.now() + pace.quietInterval
        while !handle.isStopped {
            followConnection()
            let slept = wait(until: min(quietUntil, retryAt ?? .max))
            let now = MonotonicClock.now()
            listen(at: now)
            for job in handle.removeJobs(afterSleep: slept > 1_000_000) { job(self) }
            if hasNews || now >= quietUntil {
                hasNews = false
                quietUntil = now + pace.quietInterval
                if hasBegun { receiver.audioSettled(now: now) }
            }
        }
    }

    /// Handles the server's messages, or waits for them. The server sends small pieces; at the pace of a file, when
    /// only audio is expected, the thread sleeps while they collect. Returns the nanoseconds of sleep.
    private func wait(until deadline: Int64) -> Int64 {
        let collects = pace == .file && !isHurried && connection.state == .ready && !isAsking
        // Each call handles a part of a piece.
        if collects && connection.runOnce(until: 0) { return 0 }
        let now = MonotonicClock.now()
        let asking = streams.values.map(\.stream).filter { $0.wantsTime(at: now) }
        if collects && asking.isEmpty && streams.values.allSatisfy(\.stream.isSettled) {
            handle.sleep(until: min(deadline, now + Int64(pace.interval * 1e9)))
            return MonotonicClock.now() - now
        }
        if connection.runOnce(until: deadline) {
            for stream in asking { stream.askTime() }
        }
        return connection.sleepTime
    }

    private func followConnection() {
        switch connection.state {
        case .connecting: break
        case .failed(let fault):
            guard hasBegun else {
                // A server that is missing at the start is not waited for.
                handle.settle(.failure(.noServer(fault)))
                retryAt = nil
                return
            }
            if !connectionLost {
                connectionLost = true
                receiver.audioWarning(.serverLost(fault))
                for (stream, _) in Array(streams.values) { end(stream) }
            }
            if retryAt == nil { retryAt = MonotonicClock.now() + Self.retryInterval }
        case .ready:
            connectionLost = false
            if connection.isStale && !isAsking { ask() }
        }
        guard let due = retryAt, MonotonicClock.now() >= due else { return }
        retryAt = nil
        if case .failed = connection.state {
            isAsking = false
            connection.connect()
        } else if connection.state == .ready {
            connection.isStale = true
        }
    }

    private func ask() {
        isAsking = true
        connection.askInventory { [unowned self] inventory in
            isAsking = false
            self.inventory = inventory
            handle.note(outputs: inventory.outputs.map(\.name))
            compare(with: inventory)
        }
    }

    /// Listens to the outputs beside a recorded one that is silent. A private server has no others.
    private func listen(at now: Int64) {
        guard let inventory, let context = connection.context, connection.state == .ready, !isPrivate,
            !targets.contains(.everything)
        else {
            return listening = []
        }
        let recorded = Set(streams.values.map(\.stream.source))
        let wanted = unrecorded.candidates(in: inventory, besides: recorded, at: now)
        listening.removeAll { stream in !wanted.contains { $0.monitor == stream.monitor } }
        for output in wanted where !listening.contains(where: { $0.monitor == output.monitor }) {
            let stream = PulsePeakStream(monitor: output.monitor, context: context) { [unowned self] in
                guard let audio = unrecorded.report(output.name, in: self.inventory ?? inventory) else { return }
                receiver.audioWarning(.unrecorded(audio))
                hasNews = true
            }
            if let stream { listening.append(stream) }
        }
    }

    /// Whether a stream records an output.
    private func isOutput(_ stream: PulseRecordStream) -> Bool {
        streams[stream.id].map { targets[$0.target].isOutput } ?? false
    }

    private func compare(with inventory: AudioInventory) {
        let noMicrophones = noMicrophones(in: inventory)
        let found = targets.enumerated().map { index, target in
            off.contains(index)
                ? nil : confirmed(condition(of: target, in: inventory, besides: noMicrophones), target: index)
        }
        let missing = targets.indices.first { found[$0] == .missing && targets[$0].isNeededAtStart }
        if !hasBegun, let missing {
            return handle.settle(.failure(.missing(targets[missing].missing(in: inventory))))
        }
        for (index, target) in targets.enumerated() {
            let wanted = off.contains(index) ? [] : target.sources(in: inventory, besides: noMicrophones)
            let open = streams.values.filter { $0.target == index }
            for (stream, _) in open where !wanted.contains(stream.source) { end(stream) }
            let kept = Set(open.map(\.stream.source))
            for source in wanted where !kept.contains(source) { start(source, target: index, in: inventory) }
            if target.isMicrophone { follow(wanted.first, of: index, in: inventory) }
            if let warning = found[index]?.warning(of: target, in: inventory, after: conditions[index]),
                !(target.isMicrophone && warning == .gone(target))
            {
                receiver.audioWarning(warning)
            }
            conditions[index] = found[index]
            if target == .defaultMicrophone,
                inventory.microphones.contains(where: { wanted.contains(.source($0.name)) })
            {
                hadMicrophone = true
            }
        }
        hasBegun = true
        handle.settle(.success(()))
    }

    private func follow(_ microphone: AudioSource?, of target: Int, in inventory: AudioInventory) {
        if off.contains(target) { return microphoneChanges[target, default: .init()].turnedOff() }
        switch microphoneChanges[target, default: .init()].follow(microphone) {
        case .gone: receiver.audioWarning(.gone(targets[target]))
        case .replaced:
            guard case .source(let name) = microphone else { return }
            receiver.audioWarning(.microphoneReplaced(by: inventory.description(ofSource: name)))
        case nil: break
        }
    }

    /// The sources that cannot replace a missing microphone.
    private func noMicrophones(in inventory: AudioInventory) -> Set<AudioSource> {
        if isPrivate || hadMicrophone { return Set(inventory.outputs.map { .source($0.monitor) }) }
        return Set(targets.filter { !$0.isMicrophone }.flatMap { $0.sources(in: inventory) })
    }

    private func condition(
        of target: AudioTarget, in inventory: AudioInventory, besides noMicrophones: Set<AudioSource>
    ) -> AudioCondition {
        let condition = target.condition(in: inventory, besides: noMicrophones)
        if isPrivate, case .inaudible = condition { return .audible }
        return condition
    }

    /// The last condition instead, while an application is turned down for less than `faintInterval`.
    private func confirmed(_ found: AudioCondition, target: Int) -> AudioCondition? {
        guard case .inaudible(let audio) = found, audio.level == .faint, case .application = audio.target,
            found != conditions[target]
        else {
            faintSince[target] = nil
            return found
        }
        let now = MonotonicClock.now()
        let due = faintSince[target, default: now] + Self.faintInterval
        guard now < due else { return found }
        faintSince[target] = due - Self.faintInterval
        retryAt = min(retryAt ?? .max, due)
        return conditions[target]
    }

    private func start(_ source: AudioSource, target: Int, in inventory: AudioInventory) {
        guard let context = connection.context else { return }
        let isPipeWire = inventory.server?.contains("PipeWire") ?? false
        let id = AudioStreamID(rawValue: nextID)
        nextID += 1
        let stream = PulseRecordStream(
            id: id, source: source, channels: channels, numberedChannels: inventory.numberedChannels(of: source),
            pace: pace, onPrivatePulseAudio: isPrivate && !isPipeWire,
            context: context, owner: self)
        if let stream {
            streams[id] = (stream, target)
        } else {
            retryAt = MonotonicClock.now() + Self.retryInterval
        }
    }

    private func end(_ stream: PulseRecordStream) {
        let wasOpen = stream.isOpen
        stream.close()
        guard streams.removeValue(forKey: stream.id) != nil else { return }
        if wasOpen { receiver.audioClosed(stream.id) }
        noteEnd()
        hasNews = true
    }

    private func noteEnd() {
        if !streams.values.contains(where: { isOutput($0.stream) }) { unrecorded.stopped() }
    }

    func hurry() {
        isHurried = true
        for (stream, _) in streams.values { stream.hurry() }
    }

    func set(target: Int, isOn: Bool) {
        if isOn { off.remove(target) } else { off.insert(target) }
        for (stream, _) in streams.values.filter({ !isOn && $0.target == target }) { end(stream) }
        connection.isStale = true
    }

    /// `compare` ends the streams of the former target.
    func change(target: Int, to other: AudioTarget) {
        targets[target] = other
        conditions[target] = nil
        connection.isStale = true
    }

    func change(pace: AudioPace) {
        self.pace = pace
        if isHurried { return }
        for (stream, _) in streams.values { stream.change(pace: pace) }
    }

    func streamOpened(_ stream: PulseRecordStream) {
        guard let target = streams[stream.id]?.target else { return }
        if isOutput(stream) { unrecorded.recorded(isSilent: true, at: MonotonicClock.now()) }
        receiver.audioOpened(stream.id, target: target, sampleRate: stream.rate)
        if stream.pace != pace { stream.change(pace: pace) }
        if isHurried { stream.hurry() }
    }

    /// Borrowed interleaved samples, or nil if the server lost `frames` of them.
    func stream(_ stream: PulseRecordStream, delivered samples: UnsafeBufferPointer<Float>?, frames: Int) {
        if isOutput(stream) {
            unrecorded.recorded(isSilent: samples?.allSatisfy { $0 == 0 } ?? true, at: MonotonicClock.now())
        }
        if let samples {
            receiver.audio(stream.id, samples: samples.span)
        } else {
            receiver.audioMissing(stream.id, frames: frames)
        }
    }

    func stream(_ stream: PulseRecordStream, told reading: AudioClockReading) {
        receiver.audioTimed(stream.id, reading: reading)
    }

    /// A series of deliveries is over.
    func streamRests(_ stream: PulseRecordStream) { hasNews = true }

    /// The stream is over: its device, its application or the connection has gone.
    func streamEnded(_ stream: PulseRecordStream) {
        guard streams.removeValue(forKey: stream.id) != nil else { return }
        receiver.audioClosed(stream.id)
        noteEnd()
        hasNews = true
        // Usually the server has reported the cause before. Otherwise the stream may have failed only for a moment.
        retryAt = MonotonicClock.now() + Self.retryInterval
    }
}
