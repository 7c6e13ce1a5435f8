// One sentence for each error of this target: what happened, to which file, and what to do.
import Glibc
import KineMedia
import SystemPackage

extension StorageError: CustomStringConvertible {
    /// Whether the file could not be created: the command line's exit status is then 73, otherwise 74.
    public var isCreationFailure: Bool {
        switch self {
        case .alreadyExists, .cannotCreate, .cannotReplace, .isSource, .notARegularFile: true
        case .cannotOpen, .inUse, .full, .tooLarge, .shortened, .removed, .readerGone, .readerStalled, .failed: false
        }
    }

    /// The code of the description, if it has one.
    package var problem: ProblemCode? {
        switch self {
        case .alreadyExists(let path): ProblemCode(.nameInUse, ["file": path])
        case .cannotCreate(let path, _), .cannotReplace(let path, _): ProblemCode(.cannotCreate, ["file": path])
        case .full(let path): ProblemCode(.diskFull, ["file": path])
        case .tooLarge(let path): ProblemCode(.fileTooLarge, ["file": path])
        case .failed(_, let path, _): ProblemCode(.storageFailed, ["file": path])
        case .isSource, .cannotOpen, .notARegularFile, .inUse, .shortened, .removed, .readerGone, .readerStalled: nil
        }
    }

    public var description: String {
        switch self {
        case .alreadyExists(let path):
            "\(path) exists already: choose another name"
        case .cannotCreate(let path, ENAMETOOLONG):
            "\(path) cannot be created, as its name is too long for the disk: choose a shorter one"
        case .cannotCreate(let path, let code):
            "\(path) cannot be created (\(Errno(rawValue: code))): choose a directory that exists and that you may write to"
        case .cannotReplace(let path, EBUSY):
            "\(path) cannot be replaced, as it is mounted by itself: mount its directory instead, or choose another name"
        case .cannotReplace(let path, let code):
            "\(path) cannot be replaced (\(Errno(rawValue: code))): choose another name, or remove it first"
        case .isSource(let path):
            "\(path) is the recording itself, which stays as it is: choose another name"
        case .cannotOpen(let path, let code):
            "\(path) cannot be opened (\(Errno(rawValue: code))): check its name, and that you may read and write it"
        case .notARegularFile(let path):
            "\(path) is not an ordinary file: choose another name"
        case .inUse(let path):
            "\(path) is still being written by another process: stop that take first"
        case .full(let path):
            "\(path) cannot grow, as its disk or your quota there is full: make room"
        case .tooLarge(let path):
            "\(path) cannot grow, as its file system or the limit of ulimit -f allows no larger file: write to another disk, or "
                + "raise the limit"
        case .shortened(let path):
            "\(path) was shortened by another program while it was being written: keep other programs from it"
        case .removed(let path):
            "\(path) was deleted or replaced while it was being written: leave the file alone until the take has ended"
        case .readerGone(let path):
            "\(path) was closed by the program that reads it: let that program read until the take has ended"
        case .readerStalled(let path):
            "\(path) was not read, or too slowly: give it a reader that keeps up"
        case .failed(_, let path, ENOTCONN):
            "\(path)'s disk is disconnected, and what had not reached it is lost: mount it again"
        case .failed(let operation, let path, let code):
            "cannot \(operation) \(path) (\(Errno(rawValue: code))): check the disk"
        }
    }
}

extension MP4FastStart.Error: CustomStringConvertible {
    public var description: String {
        switch self {
        case .storage(let error): error.description
        case .notFinished(let path): "\(path) was never finished, or its end is missing: recover it first"
        case .notARecording(let path):
            "\(path) is not a recording of Kinecast's, or is damaged, or its end is missing: it was left as it is"
        case .tooLong(let path):
            "\(path) is longer than a day, and so is not cut or shown in images: play it as a whole"
        }
    }
}

extension MP4Recovery.Error: CustomStringConvertible {
    public var description: String {
        switch self {
        case .storage(let error): error.description
        case .notARecording(let path):
            "\(path) is not a recording of Kinecast's, or its beginning is damaged: it was left as it is"
        case .nothingRecorded(let path):
            "\(path) ends before its first frame: there is nothing to recover, delete it"
        }
    }
}

extension MovieExcerpt.Error: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "The excerpt ends before it begins: let its end be later than its start"
        case .beyondEnd(let duration):
            "The recording is \(Quantity.length(duration)) long: choose an earlier time"
        }
    }
}
