// The samples of a capture for a `for await` loop: each can be read until the next is asked for.
import KinePlatform
import KineRings
import Synchronization

/// A sample that a loop has in its hands. Its memory goes back to the engine when the loop asks for the next one, or ends.
public final class CapturedSample: Sendable {
    private struct Contents: ~Copyable {
        let sample: SampleBuffer
        var isGone = false
    }

    public let type: SampleBufferType
    private let contents: Mutex<Contents>

    fileprivate init(_ sample: borrowing SampleBuffer) {
        type = sample.type
        contents = Mutex(Contents(sample: sample.alias()))
    }

    /// Lends the sample. Throws where the loop has gone on to the next one.
    public func withSample<Result: Sendable>(
        _ body: (borrowing SampleBuffer) throws(RecordingError) -> Result
    ) throws(RecordingError) -> Result {
        try contents.withLock { contents throws(RecordingError) in
            guard !contents.isGone else { throw .sampleIsGone }
            return try body(contents.sample)
        }
    }

    fileprivate func expire() { contents.withLock { $0.isGone = true } }
}

/// The samples of one capture, for one loop. While the loop's body takes long, samples are left out. The sequence ends when the capture
/// is stopped or fails; the recorder's events tell why. A loop that ends earlier stops nothing: call `stopCapture()`.
public struct CapturedSamples: AsyncSequence, Sendable {
    public typealias Element = CapturedSample

    let exchange: SampleExchange

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(exchange: exchange) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let exchange: SampleExchange

        public mutating func next(isolation actor: isolated (any Actor)?) async -> CapturedSample? {
            await exchange.next()
        }
    }
}

/// Hands samples from the thread that reads them to a loop, one at a time.
final class SampleExchange: Sendable {
    private enum State {
        /// The loop handles a sample, or has not begun.
        case idle
        /// The loop waits for a sample.
        case waiting(CheckedContinuation<CapturedSample?, Never>)
        case over
    }

    private let state = Monitor(State.idle)

    /// The next sample; the one before is gone. Nil at the end, and where the task is cancelled.
    func next() async -> CapturedSample? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Of two loops the later one goes on.
                let ended = state.signal { state -> CheckedContinuation<CapturedSample?, Never>? in
                    if case .over = state { return continuation }
                    defer { state = .waiting(continuation) }
                    if case .waiting(let earlier) = state { return earlier }
                    return nil
                }
                ended?.resume(returning: nil)
            }
        } onCancel: {
            finish()
        }
    }

    // MARK: The reader's thread

    /// Waits until the loop wants a sample, gives it this one, and waits until the loop is done with it.
    func hand(_ sample: borrowing SampleBuffer) {
        enum Request {
            case sample(CheckedContinuation<CapturedSample?, Never>)
            case end
        }
        let request = state.wait { state -> Request? in
            switch state {
            case .idle: return nil
            case .waiting(let continuation):
                state = .idle
                return .sample(continuation)
            case .over: return .end
            }
        }
        guard case .sample(let continuation) = request else { return }
        let captured = CapturedSample(sample)
        continuation.resume(returning: captured)
        _ = state.wait { state -> Bool? in if case .idle = state { nil } else { true } }
        captured.expire()
    }

    func finish() {
        let continuation = state.signal { state -> CheckedContinuation<CapturedSample?, Never>? in
            defer { state = .over }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(returning: nil)
    }
}
