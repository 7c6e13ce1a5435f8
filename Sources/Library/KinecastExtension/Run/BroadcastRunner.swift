// Carries out the state machine's steps: reads requests and samples from the engine and calls the handler with them.
import KineMedia
import KineRings
import KineWire

/// Runs one broadcast on a handler.
@BroadcastActor
package final class BroadcastRunner {
    private let handler: BroadcastSampleHandler
    private let session: BroadcastSession
    private var machine = BroadcastStateMachine()
    private var receiver: StreamReceiver?
    private var context = BroadcastContext()
    private var wakePoint: WakePoint
    /// Callers of `settle`.
    private var idleWaiters: [UnsafeContinuation<Void, Never>] = []

    package init(handler: BroadcastSampleHandler, session: BroadcastSession) {
        self.handler = handler
        self.session = session
        wakePoint = WakePoint(descriptor: -1)
    }

    /// Waits until the handler has handled all received requests and samples, or the broadcast has ended.
    package func settle() async {
        wakePoint.wake()
        await withUnsafeContinuation { continuation in
            if session.hasEnded { continuation.resume() } else { idleWaiters.append(continuation) }
        }
    }

    package var hasEnded: Bool { session.hasEnded }

    /// Runs the broadcast from start to end. Returns when no callback runs and none will start.
    package func run() async {
        handler.link.connect(send: session.send, failed: { [session] in session.handlerFailed() })
        session.attach(wakePoint, link: handler.link)
        defer { resumeIdleWaiters() }
        while true {
            receiveRequests()
            if handler.link.failure != nil { machine.fail() }
            var front = BroadcastStateMachine.Front()
            var record: StreamReceiver.Record?
            do throws(StreamReceiver.Error) {
                if let receiver { (front, record) = try receiver.front() }
            } catch {
                handler.finishBroadcastWithError(error)
                continue
            }
            switch machine.next(front) {
            case .wait:
                resumeIdleWaiters()
                await wakePoint.wait()
                if let receiver, !receiver.clearWake() { machine.engineGone() }
            case .start(let start): await begin(start)
            case .deliverRecord: if let record { await deliver(record) }
            case .deliverFrame: await deliverFrame()
            case .pause: await handler.broadcastPaused()
            case .resume: await handler.broadcastResumed()
            case .annotate(let info): await handler.broadcastAnnotated(withApplicationInfo: info)
            case .renewLink: await handler.broadcastLinkRenewalRequested()
            case .screenLocked(let isLocked): await handler.broadcastScreenLocked(isLocked)
            case .finish:
                await handler.broadcastFinished()
                guard handler.link.failure == nil else { continue }
                // The statistics of the last second have not been reported yet.
                session.send(.statistics(session.statistics))
                session.send(.finished)
            case .end:
                if handler.link.failure != nil { session.send(.statistics(session.statistics)) }
                session.end()
                return
            }
        }
    }

    private func resumeIdleWaiters() {
        let waiters = idleWaiters
        idleWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    private func receiveRequests() {
        let arrived = session.nextRequests()
        for request in arrived.requests {
            if case .unknown = request, !machine.hasStart { handler.finishBroadcastWithError(UnreadableStart()) }
            machine.receive(request)
        }
        if arrived.isClosed { machine.engineGone() }
    }

    private func begin(_ start: ExtensionStart) async {
        do throws(StreamReceiver.Error) {
            let receiver = try StreamReceiver(start.stream, descriptors: session.connection.removeDescriptors())
            self.receiver = receiver
            wakePoint = WakePoint(descriptor: receiver.wakeDescriptor.rawValue)
            session.attach(wakePoint, link: handler.link)
        } catch {
            handler.finishBroadcastWithError(error)
            return
        }
        context = BroadcastContext(start)
        handler.link.start(start)
        if let receiver { EngineLink.shared.started(start, receiver: receiver) }
        do {
            try await handler.broadcastStarted(withSetupInfo: start.setupInfo)
            if handler.link.failure == nil { session.send(.started) }
        } catch {
            handler.finishBroadcastWithError(error)
        }
    }

    private func deliver(_ record: StreamReceiver.Record) async {
        guard let receiver else { return }
        let changed = record.type == .video ? receiver.changedVideo.map { SampleFormat.encoded($0.format) } : nil
        if let format = changed ?? context.format(of: record.type), format.fits(record) {
            await handler.processSampleBuffer(SampleBuffer(record, format: format), with: record.type)
        }
        receiver.advance(past: record)
    }

    private func deliverFrame() async {
        guard let receiver, let layout = receiver.slotLayout else { return }
        do throws(StreamReceiver.Error) {
            guard let frame = try receiver.nextFrame() else { return }
            await handler.processSampleBuffer(SampleBuffer(frame, layout: layout), with: .video)
            receiver.release(frame)
        } catch {
            handler.finishBroadcastWithError(error)
        }
    }
}

/// The failure if the engine's first message is of a later version.
private struct UnreadableStart: Error, CustomStringConvertible {
    var description: String {
        "This extension does not understand how the engine starts it; build it with the library of this Kinecast's version."
    }
}
