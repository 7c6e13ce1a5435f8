// The thread on which a client handles the samples of a take.
import KinePlatform
import KineRings
import SystemPackage

/// Reads a feed to its end, and lends each sample to a handler. Of several available samples, the oldest comes first.
package struct FeedReader {
    package typealias Handler = @Sendable (borrowing SampleBuffer, SampleBufferType) -> Void

    private let feed: ClientFeed
    private let started: @Sendable (StreamDescription) -> Void
    private let handler: Handler
    private var order = SampleOrder<Never>()
    private var receiver: StreamReceiver?
    private var stream: StreamDescription?
    /// No samples will be added to those in the shared memory.
    private var isFinished = false

    /// Starts the thread. It calls `ended` and exits when the feed ends. Throws if the process may have no more threads.
    ///
    /// - Parameters:
    ///   - thread: its name, at most 15 bytes.
    ///   - started: gets the description of the samples before the first one.
    ///   - handler: gets one sample at a time; if it is slow, samples are dropped.
    package static func start(
        _ feed: ClientFeed, thread: String, started: @escaping @Sendable (StreamDescription) -> Void = { _ in },
        handler: @escaping Handler, ended: @escaping @Sendable () -> Void
    ) throws(Errno) {
        _ = try DedicatedThread(starting: thread) {
            var reader = FeedReader(feed: feed, started: started, handler: handler)
            reader.run()
            ended()
        }
    }

    private mutating func run() {
        while true {
            feed.collect().forEach { read($0) }
            guard let receiver else {
                if isFinished { return }
                wait(for: [feed.descriptor])
                continue
            }
            do throws(StreamReceiver.Error) {
                let (front, record) = try receiver.front(Never.self)
                switch order.next(front) {
                case .record: if let record { deliver(record, receiver) }
                case .frame: try deliverFrame(receiver)
                case .none:
                    if isFinished { return }
                    wait(for: [feed.descriptor, receiver.wakeDescriptor.rawValue])
                    // Clearing fails if the engine is gone; the feed reports that too.
                    _ = receiver.clearWake()
                }
            } catch {
                // The engine's data is invalid, so no later sample can be trusted.
                return
            }
        }
    }

    private func wait(for descriptors: [Int32]) { _ = WakeSignal.poll(descriptors, until: nil) }

    private mutating func read(_ event: ClientFeedEvent) {
        switch event {
        case .start(let receiver, let stream):
            (self.receiver, self.stream) = (receiver, stream)
            started(stream)
        case .end: isFinished = true
        }
    }

    private mutating func deliver(_ record: StreamReceiver.Record, _ receiver: StreamReceiver) {
        if record.type == .video, let changed = receiver.changedVideo { stream?.video = changed }
        if let format = stream?.format(of: record.type), format.fits(record) {
            handler(SampleBuffer(record, format: format), record.type)
        }
        receiver.advance(past: record)
    }

    private func deliverFrame(_ receiver: StreamReceiver) throws(StreamReceiver.Error) {
        guard let layout = receiver.slotLayout, let frame = try receiver.nextFrame() else { return }
        handler(SampleBuffer(frame, layout: layout), .video)
        receiver.release(frame)
    }
}
