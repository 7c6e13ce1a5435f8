// Finished recordings, cut and looked at by an engine that is started for it: decoders and encoders never run in a client.
import FoundationEssentials
import Glibc
import KineControl
import KineMedia
import KinePlatform
import SystemPackage

/// Asks an engine about finished recordings. Each call starts one, and ends it where the task is cancelled.
public struct RecordingEditor: Sendable {
    private let locator: EngineLocator

    /// The most bytes of an answer: a few hundred images.
    private static let largestAnswer = 1 << 30

    public init(_ locator: EngineLocator = EngineLocator()) { self.locator = locator }

    /// Writes a part of a recording to another file. If this throws, nothing was written.
    public func trim(_ request: TrimRequest) async throws(ClientError) -> TrimmedRecording {
        guard case .trimmed(let file) = try await ask(.trim(request)) else { throw .refused(Self.otherAnswer) }
        return file
    }

    /// One image for each time that is asked for.
    public func images(_ request: ImagesRequest) async throws(ClientError) -> [RecordedImage] {
        guard case .images(let images) = try await ask(.images(request)), images.count == request.times.count else {
            throw .refused(Self.otherAnswer)
        }
        return images
    }

    private static let otherAnswer = "The engine answered another question; install an engine of this version."

    private func ask(_ request: EditRequest) async throws(ClientError) -> EditAnswer {
        let cancellation = Cancellation()
        let result: Result<EditAnswer, ClientError> = await withTaskCancellationHandler {
            do throws(ClientError) {
                return .success(
                    try await BlockingCall.run("kine-edit") { () throws(ClientError) in
                        try run(request, cancellation)
                    })
            } catch {
                return .failure(error)
            }
        } onCancel: {
            cancellation.cancel()
        }
        let answer = try result.get()
        if case .failed(let failure) = answer { throw .editing(failure) }
        return answer
    }

    private func run(_ request: EditRequest, _ cancellation: Cancellation) throws(ClientError) -> EditAnswer {
        let executable = try locator.locate()
        let log = EngineLog()
        let output: [UInt8]
        let ending: ChildProcess.Ending
        do {
            let input = try MemoryInput(JSONEncoder().encode(request), name: "kinecast-edit")
            (output, ending) = try run(executable, input, log, cancellation)
        } catch {
            throw .engineCannotStart(executable: executable, ClientError.StartFault(error))
        }
        guard !cancellation.isCancelled else { throw .cancelled }
        guard ending == .exited(status: 0), let answer = try? JSONDecoder().decode(EditAnswer.self, from: Data(output))
        else {
            throw .noReport(executable: executable, option: Self.option, ending, lastWords: log.lastWords())
        }
        return answer
    }

    private static let option = "--edit"

    private func run(
        _ executable: FilePath, _ input: MemoryInput, _ log: EngineLog, _ cancellation: Cancellation
    ) throws -> ([UInt8], ChildProcess.Ending) {
        let pipe = try FileDescriptor.pipe()
        defer { try? pipe.readEnd.close() }
        let process: ChildProcess
        do {
            defer { try? pipe.writeEnd.close() }
            var options = ChildProcess.Options()
            options.descriptors = [input.descriptor, pipe.writeEnd, log.descriptor]
            // The signal comes when the starting thread ends, which is this one, and it waits for the process.
            options.parentDeathSignal = SIGKILL
            // A decoder reads what is in the file: it gains no rights, and a crash leaves no frames in a core file.
            options.confinement = ChildProcess.Confinement()
            process = try ChildProcess(
                executable: executable.string, arguments: [Self.option], environment: ProcessEnvironment.current,
                options: options)
        }
        // A file without a name is gone with its process.
        let token = cancellation.onCancel { process.signal(SIGKILL) }
        defer { cancellation.remove(token) }
        let output = try? ChildOutput.read(pipe.readEnd, until: .max, atMost: Self.largestAnswer)
        if output == nil { process.signal(SIGKILL) }
        return (output ?? [], process.wait())
    }
}
