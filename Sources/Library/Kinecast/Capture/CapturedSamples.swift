// The samples of a capture for a `for await` loop. Each can be read until the loop requests the next.
import KinePlatform
import KineRings
import Synchronization

/// A sample lent to a loop. Its memory returns to the engine when the loop requests the next sample, or ends.
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

    /// Lends the sample to `body`. Throws if the loop has already requested the next sample.
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

/// The samples of one capture, for one loop. If the loop is slow, samples are dropped. The sequence ends when the
/// capture stops or fails (see the recorder's events). Leaving the loop stops nothing: call `stopCapture()`.
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

/// Passes samples from the reading thread to a loop, one at a time.
final class SampleExchange: Sendable {
    private enum State {
        /// The loop handles a sample, or has not begun.
        case idle
        /// The loop waits for a sample.
        case waiting(CheckedContinuation<CapturedSample?, Never>)
        case over
    }

    private let state = Monitor(State.idle)

    /// The next sample; the previous one expires. Nil at the end, and if the task is cancelled.
    func next() async -> CapturedSample? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // If two loops read, the later one continues.
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

    /// Waits for the loop to request a sample, passes this one, and waits until the loop is done with it.
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
