// Samples in the app's own hands: by a handler, and in a loop.
import Foundation
import Kinecast
import Synchronization

extension Session {
    static let capturing: [Command] = [
        Command("capture", "", "counts the samples that a handler gets, until “uncapture”") { session, _ in
            let counts = Counts()
            try await session.recorder.startCapture { sample, type in
                // The sample is lent: its pixels can be read until this returns.
                let brightness = sample.withPixels { pixels in Int(pixels[plane: 0].row(0)[0]) }
                counts.note(type, brightness)
            }
            say("capturing")
            session.counts = counts
        },
        Command("uncapture", "", "ends the capture") { session, _ in
            try await session.recorder.stopCapture()
            say("samples", session.counts.map { "\($0.all())" } ?? "none")
        },
        Command("frames", "[N]", "captures N frames in a loop") { session, words in
            let wanted = words.first.flatMap(Int.init) ?? 3
            var seen = 0
            for await captured in try await session.recorder.startCapture() where captured.type == .video {
                let time = try captured.withSample { $0.presentationTime }
                seen += 1
                say("frame \(seen) at \(time.seconds) s")
                if seen == wanted { break }
            }
            try await session.recorder.stopCapture()
        },
    ]
}

/// Samples of each type. The handler's thread counts.
final class Counts: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func note(_ type: SampleBufferType, _ brightness: Int?) {
        counts.withLock { $0["\(type)", default: 0] += 1 }
    }

    func all() -> [String: Int] { counts.withLock { $0 } }
}
