// How a take and its engine's process end.
import KineTake

struct TakeEnd {
    /// The end of the recording; nil until it has ended.
    private(set) var recording: Take.Ending?
    /// Whether the file's index moves to its beginning.
    private(set) var movesIndex = true
    /// The file was finished early because it could not be written any more, and the broadcast continues.
    private(set) var hasRecordingFailed = false
    private var exit: (status: Int32, deadline: Int64)?

    mutating func stopRequested(immediately: Bool) { if immediately { movesIndex = false } }

    mutating func recordingFailed() { hasRecordingFailed = true }

    mutating func recordingEnded(_ ending: Take.Ending) { recording = ending }

    /// The result was sent.
    ///
    /// - Parameters:
    ///   - status: the exit status of the process.
    ///   - deadline: for the client to end its programs on the private screen, nanoseconds of CLOCK_MONOTONIC.
    mutating func leave(status: Int32, by deadline: Int64) { exit = (status, deadline) }

    /// Waits for the client's programs no longer.
    mutating func hurry() { exit?.deadline = 0 }

    /// Nil: the take runs.
    var exitDeadline: Int64? { exit?.deadline }

    var exitStatus: Int32 { exit?.status ?? 0 }
}
