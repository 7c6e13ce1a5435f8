// Recovers the file of an engine that died without its last message, or that must end at once.
import Glibc
import KineContainers
import KinePlatform
import KineTakes
import KineText

extension EngineProcess {
    /// Kills the engine if it still runs, recovers its file, and removes the take from the list of dead takes. Blocks
    /// for as long as the disk needs.
    ///
    /// - Parameters:
    ///   - output: the output file, the first one of a split recording; nil if there is none.
    ///   - hasBegun: whether the engine had reported that the take runs.
    ///   - replaced: the file to be replaced by the recording. While it has the name, nothing is recorded under it.
    func recover(
        _ cause: EngineDeath.Cause, output: String?, hasBegun: Bool, replacing replaced: FileIdentity?
    ) -> EngineDeath {
        let ending = process.end(signal: SIGKILL, deadline: .max)
        // If the recording is split, the registry has the path of the unfinished file.
        let entered = try? TakeRegistry.standard().list().dead.last { $0.pid == process.pid }?.output
        let output = output == nil ? nil : entered ?? output
        let file: EngineDeath.File
        if let output, replaced != nil, FileIdentity(output) == replaced {
            file = .olderKept(path: output)
        } else if let output {
            do throws(MP4Recovery.Error) {
                file = .recovered(path: output, try Self.recoverFile(output))
            } catch .nothingRecorded where replaced == nil {
                // This take created the file, and the next one may use its name.
                unlink(output.cString)
                file = .notBegun
            } catch .storage(.cannotOpen(_, ENOENT)) where !hasBegun {
                file = .notBegun
            } catch {
                file = .unrecoverable(error)
            }
        } else {
            file = hasBegun ? .notRecorded : .notBegun
        }
        if !file.canBeRecoveredLater { try? TakeRegistry.standard().forget { $0.pid == process.pid } }
        return EngineDeath(cause: cause, ending: ending, stderrTail: log.stderrTail(), file: file)
    }

    /// The time for another process to recover the file on a slow disk, in nanoseconds.
    private static let recoveryTimeout: Int64 = 60_000_000_000

    /// Recovers a file whose engine has ended. While `kinecast stop --now` recovers it, this tries again; each attempt waits 0.2 s.
    private static func recoverFile(_ path: String) throws(MP4Recovery.Error) -> RecoveredFile {
        let deadline = MonotonicClock.now() + recoveryTimeout
        while true {
            do throws(MP4Recovery.Error) {
                return try MP4Recovery.recover(path)
            } catch {
                guard case .storage(.inUse) = error, MonotonicClock.now() < deadline else { throw error }
            }
        }
    }
}

/// A recording of an engine that another process started; that process may have ended too.
enum OrphanedRecording {
    /// The time for the killed engine to end, and for the client that started it to recover the file, in nanoseconds.
    private static let recoveryTimeout: Int64 = 5_000_000_000

    /// Kills the connected engine and recovers its file, unless the client that started the engine does that. Blocks.
    static func end(_ engine: ProcessHandle?, _ output: String?) -> EngineDeath.File {
        guard let engine else { return .leftAlone(path: output) }
        let deadline = MonotonicClock.now() + recoveryTimeout
        engine.signal(SIGKILL)
        engine.waitForEnd(until: deadline)
        while true {
            let file = recover(output)
            guard case .leftAlone = file, MonotonicClock.now() < deadline else { return file }
            _ = WakeSignal.poll([], until: MonotonicClock.now() + 20_000_000)
        }
    }

    /// Makes a regular MP4 file of the recording, and removes the take from the list of dead takes. Does nothing while
    /// another process uses the file: the client that started the engine, or the engine itself, which may only have
    /// closed the connection. Blocks for as long as the disk needs.
    static func recover(_ output: String?) -> EngineDeath.File {
        guard let output else { return .notRecorded }
        do throws(MP4Recovery.Error) {
            return .recovered(path: output, try KnownTakes.recoverBlocking(output))
        } catch {
            if case .storage(.inUse) = error { return .leftAlone(path: output) }
            return .unrecoverable(error)
        }
    }
}

extension EngineDeath.File {
    /// Whether recovery may succeed later; the take then stays in the list.
    fileprivate var canBeRecoveredLater: Bool {
        if case .unrecoverable(.storage) = self { true } else { false }
    }
}
