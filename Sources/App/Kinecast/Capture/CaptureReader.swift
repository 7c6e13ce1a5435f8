// The thread on which an app handles captured samples.
import Glibc
import KineClient
import KinePlatform
import KineRings
import SystemPackage

/// The app's function for samples. Called on its own thread, one sample at a time; if it is slow, samples are dropped.
public typealias CaptureHandler = @Sendable (borrowing SampleBuffer, SampleBufferType) -> Void

/// Reads a feed to its end, and lends each sample to a handler. Of several available samples, the oldest comes first.
struct CaptureReader {
    private let feed: ClientFeed
    private let handler: CaptureHandler
    private var order = SampleOrder<Never>()
    private var receiver: StreamReceiver?
    private var stream: StreamDescription?
    /// No samples will be added to those in the shared memory.
    private var isFinished = false

    /// Starts the thread. It calls `ended` and exits when the feed ends.
    static func start(
        _ feed: ClientFeed, _ handler: @escaping CaptureHandler, ended: @escaping @Sendable () -> Void
    ) throws(RecordingError) {
        do throws(Errno) {
            _ = try DedicatedThread(starting: "capture") {
                var reader = CaptureReader(feed: feed, handler: handler)
                reader.run()
                ended()
            }
        } catch {
            throw .noThread(name: "capture", error)
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
        case .start(let receiver, let stream): (self.receiver, self.stream) = (receiver, stream)
        case .end: isFinished = true
        }
    }

    private func deliver(_ record: StreamReceiver.Record, _ receiver: StreamReceiver) {
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
