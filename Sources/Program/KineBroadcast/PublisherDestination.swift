// What a service that publishes to a server has of its own, and what the executable of each such service does: a broadcast,
// or the check of one destination for `--check`.
import FoundationEssentials
import Glibc
import KineMedia
import KinePlatform
import KinePublisher
import KineWire
import SystemPackage

/// A destination of one kind of server, with its settings.
package protocol PublisherDestination: Sendable {
    associatedtype Stream: Publisher

    /// The ids of its services; each is also the first argument of the executable.
    static var services: [String] { get }
    /// The protocol's name for a person.
    static var protocolName: String { get }
    /// Whether a stream can have the applications' audio and the microphone's as two tracks.
    static var carriesSeparateAudio: Bool { get }

    /// Throws an error whose description is a sentence for a person, without secrets.
    /// - Parameter setupInfo: complete. The files that it names are open in this process; see `PassedFiles`.
    init(setupInfo: [String: String]) throws

    /// The server's address for a person, without secrets.
    var address: String { get }

    /// A publisher that has not started yet.
    /// - Parameter observe: called in order on one thread; it must not block.
    func publisher(of stream: PublishedStream, observe: @escaping @Sendable (PublisherEvent) -> Void) -> Stream

    /// Asks the server whether it would accept the stream, without a sample. Throws the reason if it would not.
    func check() async throws -> DestinationReport
}

/// The tracks of a stream, as their encoders make them.
package struct PublishedStream: Sendable {
    /// Nil: no frames.
    package var video: VideoFormat?
    /// The maximum.
    package var framesPerSecond = 0.0
    /// Bits a second of the frames; nil if a quality was chosen instead.
    package var bitrate: Int?
    package var audio: [AudioFormat] = []
}

extension PublisherDestination {
    /// Receives one broadcast from the engine that started this process, and ends the process.
    @MainActor package static func runBroadcast() async { await PublisherBroadcastHandler<Self>.main() }

    /// Reads the setup info of a destination from standard input, and writes the report to standard output.
    package static func runCheck() async {
        signal(SIGPIPE, SIG_IGN)
        let question = try? FileDescriptor.standardInput.readToEnd(atMost: DestinationReport.limit)
        let answer = await report(on: question ?? [])
        // The asking process may have ended.
        if let bytes = try? JSONEncoder().encode(answer) {
            _ = try? FileDescriptor.standardOutput.writeAll(bytes)
        }
    }

    static func report(on question: [UInt8]) async -> DestinationReport {
        guard let setupInfo = try? JSONDecoder().decode([String: String].self, from: Data(question)) else {
            return DestinationReport(
                problem: "The destination to check was not understood; install Kinecast completely.")
        }
        do {
            return try await Self(setupInfo: setupInfo).check()
        } catch let failure as any ConnectionFailure {
            return DestinationReport(problem: failure.withoutRetry().description, code: failure.problem)
        } catch {
            return DestinationReport(problem: "\(error)")
        }
    }
}
