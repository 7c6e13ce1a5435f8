// The last moments: kept all the time, and saved when something worth it has happened.
import Foundation
import Kinecast

extension Session {
    static let clips: [Command] = [
        Command("buffer", "[SECONDS]", "keeps the last moments, 15 seconds unless told") { session, words in
            let seconds = words.first.flatMap(Double.init) ?? 15
            try await session.recorder.startClipBuffering(.seconds(seconds))
            say("buffering \(seconds) s")
        },
        Command("clip", "FILE [SECONDS]", "saves the last moments, and goes on keeping them") { session, words in
            let path = try words.needed(0, "a file’s path")
            let seconds = words.count > 1 ? Double(words[1]) : nil
            let clip = try await session.recorder.exportClip(
                to: URL(filePath: path), duration: seconds.map { .seconds($0) })
            // A clip begins with a keyframe: as asked, a little earlier, or later where there is no more.
            say("clip of \(clip.duration), begins \(clip.beginning)")
        },
        Command("unbuffer", "", "keeps them no more") { session, _ in
            try await session.recorder.stopClipBuffering()
            say("not buffering")
        },
    ]
}
