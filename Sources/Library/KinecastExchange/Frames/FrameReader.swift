// Finds takes, keeps a connection with each engine, and reads the samples that extensions pass on.
import Glibc
import KinePlatform
import KineTakes
import KineWire
import SystemPackage

/// The work of a frame receiver. Used by its thread only.
final class FrameReader {
    private struct Engine {
        let connection: ClientConnection
        /// The time of the next request for frames; nil: none is due.
        var nextRequest: Int64?
        /// The destinations to reconnect with; empty: all.
        var destinations: Set<Int> = []
        /// The delay before the next request after a disconnection.
        var pause = FrameReader.shortestPause
    }

    private let request: FrameRequest
    private let registry: TakeRegistry
    private let handler: FrameReceiver.Handler
    private let tell: (FrameReceiver.Event) -> Void
    private let counter: FrameCounter
    private var engines: [String: Engine] = [:]
    private var channels: [FrameChannel] = []
    /// The reasons of takes that refused. They are asked again after the longest pause.
    private var refusals: [String: String] = [:]
    /// The time of the next search for takes; nil: when the registry's directory changes.
    private var nextSearch: Int64? = .min
    private var isSecondLook = false

    /// Nanoseconds from a change of the registry's directory to a second search: an engine may have been busy before.
    private static let secondLook: Int64 = 1_000_000_000
    /// Nanoseconds before the first reconnection with an extension. The pause doubles each time, until a sample is
    /// released in time.
    private static let shortestPause: Int64 = 50_000_000
    private static let longestPause: Int64 = 5_000_000_000

    init(
        _ request: FrameRequest, registry: TakeRegistry, handler: @escaping FrameReceiver.Handler,
        tell: @escaping (FrameReceiver.Event) -> Void, counter: FrameCounter
    ) {
        self.request = request
        self.registry = registry
        self.handler = handler
        self.tell = tell
        self.counter = counter
    }

    /// Waits for input, and reads it.
    func turn(_ wake: WakeSignal) {
        let now = MonotonicClock.now()
        if let nextSearch, now >= nextSearch { search(now) }
        ask(now)
        let engines = self.engines.sorted { $0.key < $1.key }
        let channels = self.channels
        var entries = wake.pollEntries + engines.flatMap(\.value.connection.pollEntries)
        entries += channels.flatMap { ReadableDescriptor($0.socket.descriptor.rawValue).pollEntries }
        let requests = engines.compactMap(\.value.nextRequest)
        WakeSignal.poll(&entries, until: (requests + [nextSearch].compactMap(\.self)).min())
        if entries[0].revents != 0 {
            wake.clear()
            nextSearch = .min
            isSecondLook = false
        }
        for (index, (take, engine)) in engines.enumerated() where entries[1 + index].revents != 0 {
            read(engine.connection, take: take)
        }
        for (index, channel) in channels.enumerated() where entries[1 + engines.count + index].revents != 0 {
            read(channel)
        }
    }

    private func search(_ now: Int64) {
        // Each search connects with all takes, so searches are rare.
        nextSearch = isSecondLook ? nil : now + Self.secondLook
        isSecondLook = true
        let running = registry.list().running
        let ids = Set(running.map(\.id))
        refusals = refusals.filter { ids.contains($0.key) }
        for record in running where engines[record.id] == nil {
            guard let connection = try? registry.connect(to: record) else { continue }
            engines[record.id] = Engine(connection: connection, nextRequest: now)
        }
    }

    private func ask(_ now: Int64) {
        for (take, engine) in engines {
            guard let due = engine.nextRequest, now >= due else { continue }
            engines[take]?.nextRequest = nil
            engines[take]?.destinations = []
            for destination in engine.destinations.isEmpty ? [nil] : engine.destinations.map(Optional.some) {
                var request = request
                request.destination = destination
                if let reason = engine.connection.deliver(ClientMessage(id: 0, .receiveFrames(request))) {
                    tell(.refused(reason, take: take))
                }
            }
        }
    }

    private func read(_ connection: ClientConnection, take: String) {
        do throws(ControlError) {
            for message in try connection.readAvailable() {
                switch message {
                case .event(.frames(.open(let service, let destination))):
                    guard let descriptor = connection.removeFirstDescriptor() else { continue }
                    add(
                        FrameChannel(
                            socket: PacketSocket(adopting: descriptor), take: take, service: service,
                            destination: destination))
                case .answer(_, .failure(let refusal)): refused(refusal.message, take: take)
                case .event(.frames(.ended(let reason))): refused(reason, take: take)
                default: break
                }
            }
        } catch {
            engines[take] = nil
        }
        // The connections with its extensions end by themselves.
        if connection.isClosed { engines[take] = nil }
    }

    /// The take refuses to send frames, or stops; it is asked again later.
    private func refused(_ reason: String, take: String) {
        engines[take]?.nextRequest = MonotonicClock.now() + Self.longestPause
        // It may have sent frames before it captured more of the screen.
        for channel in channels where channel.take == take { drop(channel) }
        if refusals.updateValue(reason, forKey: take) != reason { tell(.refused(reason, take: take)) }
    }

    /// Replaces an older connection with the same extension, so that each sample comes once.
    private func add(_ channel: FrameChannel) {
        for old in channels where old.take == channel.take && old.destination == channel.destination { drop(old) }
        channels.append(channel)
    }

    private func read(_ channel: FrameChannel) {
        // A newer connection with the same extension may have replaced it in this turn.
        guard channels.contains(where: { $0 === channel }) else { return }
        // Only a few at a time, so that other extensions get their turn.
        for _ in 0..<8 {
            switch channel.receive(handler, counter) {
            case .sample: continue
            case .connected:
                counter.change { $0.senders += 1 }
                tell(.connected(service: channel.service, take: channel.take))
            case .nothing: return
            case .ended: return end(channel)
            }
        }
    }

    private func end(_ channel: FrameChannel) {
        drop(channel)
        // The extension may have disconnected only this receiver; one that restarts is connected by the engine.
        guard engines[channel.take] != nil else { return }
        engines[channel.take]?.destinations.insert(channel.destination)
        let pause = channel.hasDelivered ? Self.shortestPause : engines[channel.take]?.pause ?? Self.shortestPause
        engines[channel.take]?.nextRequest = MonotonicClock.now() + pause
        engines[channel.take]?.pause = min(pause * 2, Self.longestPause)
    }

    private func drop(_ channel: FrameChannel) {
        channel.socket.close()
        channels.removeAll { $0 === channel }
        if channel.isConnected {
            counter.change { $0.senders -= 1 }
            tell(.disconnected(service: channel.service, take: channel.take))
        }
    }
}
