// Trims finished recordings and makes images of them in a separate engine: decoders and encoders never run in a client,
// and none reads an index.
import FoundationEssentials
import KineMedia
import KinePlatform
import KineWire

/// Sends requests about finished recordings to an engine. Each call starts an engine; cancelling the task ends it.
public struct RecordingEditor: Sendable {
    private let locator: EngineLocator

    /// The most bytes of an answer: a hundred images of up to 7 MB each.
    private static let largestAnswer = 1 << 30

    public init(_ locator: EngineLocator = EngineLocator()) { self.locator = locator }

    /// Writes a part of a recording to another file. On an error no file is left.
    ///
    /// - Parameter progress: gets the done part of the work, about, from 0 to 1, on any thread.
    public func trim(
        _ request: TrimRequest, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(ClientError) -> TrimmedRecording {
        var request = request
        request.reportsProgress = progress != nil
        guard case .trimmed(let file) = try await ask(.trim(request), progress) else {
            throw .refused(Self.otherAnswer)
        }
        return file
    }

    /// Makes a film of a recording. On an error no file is left.
    ///
    /// - Parameter progress: gets the done part of the work, about, from 0 to 1, on any thread.
    public func export(
        _ request: ExportRequest, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(ClientError) -> ExportedRecording {
        var request = request
        request.reportsProgress = progress != nil
        guard case .exported(let film) = try await ask(.export(request), progress) else {
            throw .refused(Self.otherAnswer)
        }
        return film
    }

    /// One image for each requested time.
    public func images(_ request: ImagesRequest) async throws(ClientError) -> [RecordedImage] {
        var images: [RecordedImage] = []
        var part = request
        for first in stride(from: 0, to: request.times.count, by: ImagesRequest.mostTimes) {
            part.times = Array(request.times[first...].prefix(ImagesRequest.mostTimes))
            guard case .images(let some) = try await ask(.images(part)), some.count == part.times.count else {
                throw .refused(Self.otherAnswer)
            }
            images += some
        }
        return images
    }

    /// The peaks of the audio in at most `most` equal parts of a recording, from 0 to 255; empty without audio.
    public func waveform(of path: String, most: Int) async throws(ClientError) -> [UInt8] {
        let request = WaveformRequest(input: path, most: most)
        guard case .waveform(let peaks) = try await ask(.waveform(request)) else { throw .refused(Self.otherAnswer) }
        return peaks
    }

    /// The chapters of the recording at an absolute path; empty if it has none.
    public func chapters(of path: String) async throws(ClientError) -> [Chapter] {
        guard case .chapters(let chapters) = try await ask(.chapters(path)) else { throw .refused(Self.otherAnswer) }
        return chapters
    }

    /// The frame that is `offset` after the one shown at a time, among those around it.
    public func frames(_ request: FramesRequest) async throws(ClientError) -> RecordedFrames {
        guard case .frames(let frames) = try await ask(.frames(request)) else { throw .refused(Self.otherAnswer) }
        return frames
    }

    /// Reads what a list shows of the files at absolute paths. Blocks.
    public func contents(of paths: [String]) throws(ClientError) -> [FileContent] {
        guard !paths.isEmpty else { return [] }
        guard case .contents(let contents) = try run(.contents(paths), Cancellation(), nil),
            contents.count == paths.count
        else { throw .refused(Self.otherAnswer) }
        return contents
    }

    private static let otherAnswer = Refusal(
        .otherVersion, "The engine answered another question; install an engine of this version.")

    private func ask(
        _ request: EditRequest, _ progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(ClientError) -> EditAnswer {
        let cancellation = Cancellation()
        let answer = try await BlockingCall.run("kine-edit") { () throws(ClientError) in
            try run(request, cancellation, progress)
        } onCancel: {
            cancellation.cancel()
        }
        if case .failed(let failure) = answer { throw .editing(failure) }
        return answer
    }

    private func run(
        _ request: EditRequest, _ cancellation: Cancellation, _ progress: (@Sendable (Double) -> Void)?
    ) throws(ClientError) -> EditAnswer {
        // Encoding numbers and paths cannot fail.
        let input = (try? JSONEncoder().encode(request)) ?? Data()
        return try EngineQuestion(
            option: "--edit", input: input, largestAnswer: Self.largestAnswer, progress: progress, readsFiles: true
        ).ask(locator, cancellation)
    }
}
