// Carries out what the state machine says: takes requests and samples from the engine and calls the handler with them.
import KineMedia
import KinePlatform
import KineRelay

/// Runs one broadcast on a handler.
@BroadcastActor
package final class BroadcastRunner {
    private let handler: BroadcastSampleHandler
    private let session: BroadcastSession
    private var machine = BroadcastStateMachine()
    private var receiver: StreamReceiver?
    private var context = BroadcastContext()
    private var wake: WakePoint
    /// Who waits for everything that has come to be done with.
    private var idleWaiters: [UnsafeContinuation<Void, Never>] = []

    package init(handler: BroadcastSampleHandler, session: BroadcastSession) {
        self.handler = handler
        self.session = session
        wake = WakePoint(descriptor: -1)
    }

    /// Waits until the handler has nothing to do any more for now, or for good.
    package func settle() async {
        wake.poke()
        await withUnsafeContinuation { continuation in
            if session.hasEnded { continuation.resume() } else { idleWaiters.append(continuation) }
        }
    }

    package var hasEnded: Bool { session.hasEnded }

    /// From start to end; returns when no callback runs any more and none will.
    package func run() async {
        handler.link.connect(send: session.send, failed: { [session] in session.handlerFailed() })
        session.attach(wake, link: handler.link)
        defer { leaveIdle() }
        while true {
            takeRequests()
            if let failure = handler.link.failure { machine.fail(failure) }
            var front = BroadcastStateMachine.Front()
            var record: StreamReceiver.Record?
            do throws(StreamReceiver.Error) {
                try look(&front, &record)
            } catch {
                handler.finishBroadcastWithError(error)
                continue
            }
            switch machine.next(front) {
            case .wait:
                leaveIdle()
                await wake.wait()
                if let receiver, !receiver.clearWake() { machine.engineGone() }
            case .start(let start): await begin(start)
            case .deliverRecord: if let record { await deliver(record) }
            case .deliverPicture: await deliverPicture()
            case .pause: await handler.broadcastPaused()
            case .resume: await handler.broadcastResumed()
            case .annotate(let info): await handler.broadcastAnnotated(withApplicationInfo: info)
            case .renewLink: await handler.broadcastLinkRenewalRequested()
            case .finish:
                await handler.broadcastFinished()
                guard handler.link.failure == nil else { continue }
                // What came in the last second counts too.
                session.send(.statistics(session.statistics))
                session.send(.finished)
            case .end:
                session.end()
                return
            }
        }
    }

    private func leaveIdle() {
        let waiters = idleWaiters
        idleWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    private func takeRequests() {
        let arrived = session.takeRequests()
        for request in arrived.requests { machine.receive(request) }
        if arrived.isClosed { machine.engineGone() }
    }

    private func look(
        _ front: inout BroadcastStateMachine.Front, _ record: inout StreamReceiver.Record?
    ) throws(StreamReceiver.Error) {
        guard let receiver else { return }
        front.readPosition = receiver.readPosition
        record = try receiver.nextRecord()
        front.record = record?.presentationTime
        if let picture = try receiver.peekPicture() { front.picture = (picture.sequence, picture.presentationTime) }
    }

    private func begin(_ start: ExtensionStart) async {
        do throws(StreamReceiver.Error) {
            let receiver = try StreamReceiver(start, descriptors: session.takeDescriptors())
            self.receiver = receiver
            wake = WakePoint(descriptor: receiver.wakeDescriptor.rawValue)
            session.attach(wake, link: handler.link)
            session.receiver = receiver
        } catch {
            handler.finishBroadcastWithError(error)
            return
        }
        context = BroadcastContext(start)
        handler.link.start(start)
        do {
            try await handler.broadcastStarted(withSetupInfo: start.setupInfo)
            if handler.link.failure == nil { session.send(.started) }
        } catch {
            handler.finishBroadcastWithError(error)
        }
    }

    private func deliver(_ record: StreamReceiver.Record) async {
        guard let receiver else { return }
        if let format = context.format(of: record.type), Self.fits(record, format) {
            session.count(record)
            await handler.processSampleBuffer(SampleBuffer(record, format: format), with: record.type)
        }
        receiver.advance(past: record)
    }

    private func deliverPicture() async {
        guard let receiver, let layout = receiver.pictureLayout else { return }
        let picture: StreamReceiver.Picture
        do throws(StreamReceiver.Error) {
            guard let taken = try receiver.takePicture() else { return }
            picture = taken
        } catch {
            handler.finishBroadcastWithError(error)
            return
        }
        session.countPicture()
        await handler.processSampleBuffer(SampleBuffer(picture, layout: layout), with: .video)
        receiver.release(picture)
    }

    private static func fits(_ record: StreamReceiver.Record, _ format: SampleFormat) -> Bool {
        switch format {
        case .pcm: record.isPCM
        case .aac, .encoded: !record.isPCM
        case .raw: false
        }
    }
}
