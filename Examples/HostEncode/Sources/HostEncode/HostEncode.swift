// The app: it receives the frames that its extension passes on, encodes them itself and pushes them to an RTMP server.
import Dispatch
import Glibc
import KineCodecs
import KineX264
import KinecastExchange

@main
enum HostEncode {
    static let service = "org.kinecast.example.hostencode"

    static func main() async {
        do {
            let options = try Options(CommandLine.arguments.dropFirst())
            switch options.encoder {
            case .openh264: try await run(options, encodingWith: OpenH264Encoder.self)
            case .x264: try await run(options, encodingWith: X264Encoder.self)
            }
        } catch let error as UsageError {
            say("error: \(error.description)")
            exit(64)
        } catch {
            say("error: \(error)")
            exit(1)
        }
    }

    private static func run<Encoder: VideoEncoder>(
        _ options: Options, encodingWith encoder: Encoder.Type
    ) async throws {
        let (endings, endingsContinuation) = AsyncStream.makeStream(of: String?.self)
        let signals = [SIGINT, SIGTERM].map { number in
            // Ignored as far as the process goes, so that only the source gets it.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { endingsContinuation.yield(nil) }
            source.resume()
            return source
        }
        defer { for source in signals { source.cancel() } }
        // A program that reads what this one says may end before it.
        signal(SIGPIPE, SIG_IGN)

        let group = try GroupContainer(identifier: service)
        let pipeline = try Pipeline<Encoder>(options) { endingsContinuation.yield($0) }
        let receiver = try FrameReceiver(group: group, from: service) { sample, type in pipeline.receive(sample, type) }
        let watching = Task {
            for await event in receiver.events {
                switch event {
                case .connected(_, let take):
                    say("connected with take \(take)")
                    pipeline.requestKeyframe()
                case .disconnected(_, let take): say("disconnected from take \(take)")
                case .refused(let reason, _): say("refused: \(reason)")
                }
            }
        }
        let reporting = Task {
            while (try? await Task.sleep(for: .seconds(1))) != nil { say(pipeline.report(receiver.counts)) }
        }
        say("ready")
        let reason = await endings.first { _ in true } ?? nil
        receiver.end()
        watching.cancel()
        reporting.cancel()
        let refusal = await pipeline.finish()
        say(pipeline.report(receiver.counts))
        if let reason = reason ?? refusal {
            say("error: \(reason)")
            exit(1)
        }
        say("finished")
    }
}

/// Writes a line at once, also where another program reads it.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}
