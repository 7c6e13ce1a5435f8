// What a test asks of a finished file and of a process that is not its child.
import CoreTesting
import Glibc
import KineContainers
import KineMeasure
import KineMedia
import KinePlatform
import Testing

package enum TakeFile {
    /// Expects an ordinary MP4; returns how long it plays, in seconds.
    package static func finishedDuration(_ path: String) throws -> Double {
        let file = try MP4Recovery.recover(path)
        #expect(file.wasAlreadyFinished, "the file was not finished")
        return file.duration.seconds
    }

    /// As `finishedDuration`, without a lock on the file: for one that the studio may be reading.
    package static func listedDuration(_ path: String) throws -> Double {
        guard case .finished(let summary) = try RecordingSummary(reading: path) else {
            Issue.record("the file was not finished")
            return 0
        }
        return summary.duration.seconds
    }
}

package enum StrangerProcess {
    /// Stops a process, and returns once it does nothing more: the signal alone takes a busy machine a moment, in which it may
    /// still answer.
    package static func stop(_ pid: Int32) throws {
        kill(pid, SIGSTOP)
        try wait("process \(pid) to stop") { ProcFiles.isStopped(pid) }
    }

    /// Waits until a process that is not this one's child has ended.
    package static func waitForEnd(of pid: Int32) -> Bool {
        guard let process = ProcessHandle(pid) else { return true }
        return WakeSignal.poll([process.descriptor], until: MonotonicClock.now() + RunningKinecast.timeout) == [true]
    }
}
