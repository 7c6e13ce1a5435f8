// One file of a recording, from its beginning to its end in a thread of its own.
import KineContainers
import KineInput
import KineMedia
import KinePlatform

/// One file of a recording while it is written. Times are the take's; the file's count from its first frame.
///
/// Sendable: only one thread uses it at a time, the recording thread and at last its finisher's.
struct RecordingPart: @unchecked Sendable {
    private let target: RecordingTarget
    let writer: any MovieWriter
    /// Synchronizes the file on a thread of its own, so that the writer does not wait.
    let disk: SyncThread?
    /// The time of the first frame.
    let start: MediaTime

    /// If this throws, the file of `target` is gone.
    init(
        _ target: RecordingTarget, _ video: VideoFormat, _ audio: [AudioFormat], hasInput: Bool, start: MediaTime
    ) throws(StorageError) {
        do throws(StorageError) {
            (writer, disk) = try target.open(video, audio, hasInput: hasInput)
        } catch {
            target.discard()
            throw error
        }
        self.target = target
        self.start = start
    }

    func append(_ sample: EncodedSample) {
        var sample = sample
        sample.presentationTime -= start
        writer.append(sample)
    }

    func append(_ input: InputRecorder.Sample) { writer.append(input: input.text, at: input.start - start) }

    /// The frames from the keyframe at `time` on have another format.
    func change(to format: VideoFormat, at time: MediaTime) throws(StorageError) {
        try writer.change(to: format, at: time - start)
    }

    func mark(_ chapter: Chapter) {
        writer.mark(Chapter(start: max(.zero, chapter.start - start), title: chapter.title))
    }

    func flush(through time: MediaTime) throws(StorageError) { try writer.flush(through: time - start) }

    func finish(at end: MediaTime) throws(StorageError) -> FinishedFile {
        disk?.end()
        return try writer.finish(at: end - start)
    }

    /// Deletes the file of a part that got no frame. Call it after `finish`.
    func discard() { target.discard() }
}

/// Finishes a part in a thread of its own: a busy disk can take seconds, and fragments of the next part must not wait.
final class PartFinisher: Sendable {
    let path: String
    private let file = Monitor<Result<FinishedFile, StorageError>?>(nil)

    /// Calls `done` in that thread. If no thread can be created, finishes the part at once.
    init(_ part: RecordingPart, at end: MediaTime, done: @escaping @Sendable () -> Void) {
        path = part.writer.path
        let finish: @Sendable () -> Void = { [file] in
            let result = Result { () throws(StorageError) in try part.finish(at: end) }
            done()
            file.signal { $0 = result }
        }
        if (try? DedicatedThread(starting: "finish", body: finish)) == nil { finish() }
    }

    func wait() -> Result<FinishedFile, StorageError> {
        file.wait { $0 } ?? .failure(.failed(operation: "finish", path: path, code: 0))
    }
}
