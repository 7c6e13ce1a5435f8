// What is done when an engine is gone without its last message, or is to go at once: its file is made an ordinary one.
import Glibc
import KineContainers
import KineControl
import KinePlatform

extension EngineProcess {
    /// Kills the engine if it still runs, recovers its file, and takes the take off the list of those that died. Blocks for as
    /// long as the disk needs.
    ///
    /// - Parameters:
    ///   - output: the file that was being written; nil where there is none.
    ///   - hasBegun: the engine had said that the take runs.
    ///   - replaced: the file that the recording was to replace: while it has its name, nothing of the recording is there.
    func recover(
        _ cause: EngineDeath.Cause, output: String?, hasBegun: Bool, replacing replaced: FileIdentity?
    ) -> EngineDeath {
        let ending = process.end(signal: SIGKILL, deadline: .max)
        let file: EngineDeath.File
        if let output, replaced != nil, FileIdentity(output) == replaced {
            file = .olderKept(path: output)
        } else if let output {
            do throws(MP4Recovery.Error) {
                file = .recovered(path: output, try MP4Recovery.recover(output))
            } catch {
                file = .unrecoverable(error)
            }
        } else {
            file = hasBegun ? .notRecorded : .notBegun
        }
        if !file.canBeRecoveredLater { try? TakeRegistry.standard().forget { $0.pid == process.pid } }
        return EngineDeath(cause: cause, ending: ending, lastWords: log.lastWords(), file: file)
    }
}

extension EngineDeath.File {
    /// The take stays in the list then.
    fileprivate var canBeRecoveredLater: Bool {
        if case .unrecoverable(.storage) = self { true } else { false }
    }
}

/// Which file has a name.
struct FileIdentity: Equatable {
    private let device: UInt64
    private let number: UInt64

    /// Nil where there is none.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
    }
}
