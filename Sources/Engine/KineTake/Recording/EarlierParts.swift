// The parts of a recording that another part follows, until each is finished, and what all files of a recording are
// together.
import KineContainers
import KineMedia

/// The parts before the current one. The previous part waits for its last audio; those before it are finished, or being
/// finished in a thread. Used by the recording thread.
struct EarlierParts {
    /// A part whose last access units of audio have not all come.
    private struct Previous {
        let part: RecordingPart
        let end: MediaTime
        /// The take's time at which the part is finished without them.
        let deadline: MediaTime
    }

    private let observer: any TakeObserver
    private var previous: Previous?
    private var finisher: PartFinisher?
    private var files = FinishedParts()
    /// Bytes of the parts before `previous`.
    private var earlierBytes: Int64 = 0

    /// The time to wait for audio of the previous part, which comes later than frames.
    private static let audioTimeout = MediaTime.seconds(2)

    /// - Parameter observer: gets a message for each part, in the thread that has finished it.
    init(observer: any TakeObserver) { self.observer = observer }

    /// Bytes of all these parts so far.
    var bytesWritten: Int64 { earlierBytes + (previous?.part.writer.bytesWritten ?? 0) }

    /// Adds a part after the next part has begun. Call `finishPrevious` first.
    ///
    /// - Parameters:
    ///   - end: the take's time at which the next part begins.
    ///   - now: the take's time that everything has reached.
    mutating func add(_ part: RecordingPart, end: MediaTime, now: MediaTime) {
        previous = Previous(part: part, end: end, deadline: now + Self.audioTimeout)
    }

    /// Adds an access unit to the previous part; ignores one that comes too late.
    func append(_ unit: EncodedSample) { previous?.part.append(unit) }

    /// Finishes the previous part if it has all its audio, or has waited long enough for it.
    ///
    /// - Parameters:
    ///   - time: the take's.
    ///   - path: the current part's file, for the observer.
    mutating func flush(at time: MediaTime, hasAllAudio: Bool, continuedIn path: String) {
        guard let previous else { return }
        if hasAllAudio || time >= previous.deadline { finishPrevious(continuedIn: path) }
    }

    /// Begins to finish the previous part, if there is one. Waits until the part before it is finished.
    mutating func finishPrevious(continuedIn path: String) {
        guard let previous = self.previous.take() else { return }
        collect()
        earlierBytes += previous.part.writer.bytesWritten
        finisher = PartFinisher(previous.part, at: previous.end) { [observer] in
            observer.observe(.recordingContinued(in: path))
        }
    }

    /// Finishes the previous part, waits until all are finished, and returns their files. The last call.
    mutating func finish(continuedIn path: String) -> FinishedParts {
        finishPrevious(continuedIn: path)
        collect()
        return files
    }

    private mutating func collect() {
        guard let finisher = self.finisher.take() else { return }
        switch finisher.wait() {
        case .success(let file): files.add(file)
        case .failure(let error): files.addUnfinished(finisher.path, error)
        }
    }
}

/// The files of a recording that are finished or could not be, in order. Pure.
struct FinishedParts {
    private var files: [FinishedFile] = []
    /// The first file that could not be finished.
    private var unfinished: (path: String, error: StorageError)?

    /// Adds a finished part that is not the last.
    mutating func add(_ file: FinishedFile) {
        var file = file
        // A file that could not grow did not end the recording.
        if case .tooLarge = file.failure { file.failure = nil }
        files.append(file)
    }

    /// Adds the last part. Without a frame it is only the reason why the recording ended, unless it is the only one.
    mutating func addLast(_ file: FinishedFile) {
        if file.frames > 0 || files.isEmpty {
            files.append(file)
        } else {
            files[files.count - 1].failure = file.failure
        }
    }

    /// Notes a file that could not be finished and is now at `path`.
    mutating func addUnfinished(_ path: String, _ error: StorageError) {
        if unfinished == nil { unfinished = (path, error) }
    }

    /// The recording that all files are together.
    ///
    /// - Parameter listsParts: whether it names its files.
    func ending(listsParts: Bool) -> RecordingThread.Ending {
        if let unfinished { return .unfinished(unfinished.error, path: unfinished.path) }
        guard var whole = files.last, whole.frames > 0 else { return .empty(files.last?.failure) }
        for file in files.dropLast() {
            whole.bytes += file.bytes
            whole.duration += file.duration
            whole.frames += file.frames
            whole.audioAccessUnits += file.audioAccessUnits
            whole.failure = whole.failure ?? file.failure
        }
        if listsParts { whole.parts = files.map(\.path) }
        return .finished(whole)
    }
}
