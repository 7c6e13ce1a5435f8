// What a take's threads tell the one that made it.
import KineCapture

/// What happens in a take. Instants are nanoseconds of CLOCK_MONOTONIC.
package enum TakeEvent: Sendable {
    /// One sentence for the person at the client.
    case warning(String)
    /// The frame has to be encoded again at that instant although it stands still.
    case needsFrame(at: Int64)
    /// The source waits for a window of COMMAND.
    case commandAwaited(at: Int64)
    /// The first frame was captured.
    case began(at: Int64)
    /// The audio that the take waits for has begun to come.
    case audioArrived
    /// The source came to its natural end; a few words.
    case sourceEnded(String, at: Int64)
    /// Another source is shown, or the reason why not.
    case sourceSwitched(TakeError?)
    /// The excluded windows that the source found; nil where it excludes none.
    case exclusions(ExclusionFindings?)
    /// Nothing more can be written to the file.
    case recordingFailed(TakeError)
    /// The take could not begin, or cannot go on.
    case failed(TakeError)
}

/// Gets the events of one take, on any of its threads. It must not block.
package protocol TakeObserver: AnyObject, Sendable {
    func observe(_ event: TakeEvent)
}
