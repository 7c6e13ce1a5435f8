// A recording that has ended: cut, looked at and shared.
import Foundation
import Kinecast

extension Session {
    static let previewing: [Command] = [
        Command("open", "FILE", "takes a saved recording as the last one") { session, words in
            let path = try words.needed(0, "a file’s path")
            session.keep(try await RecordingPreview.open(URL(filePath: path)))
        },
        Command("trim", "FROM [TO]", "cuts the last recording, in seconds; the original stays") { session, words in
            let start = try words.seconds(0)
            let end = words.count > 1 ? Duration.seconds(try words.seconds(1)) : nil
            session.keep(try await session.lastPreview().trim(from: .seconds(start), to: end))
        },
        Command("thumbnail", "FILE AT", "saves the frame at that second as a PNG image") { session, words in
            let path = try words.needed(0, "a file’s path")
            let time = try words.seconds(1)
            for image in try await session.lastPreview().thumbnails(at: [.seconds(time)]) {
                try image.data.write(to: URL(filePath: path))
                say("image \(image.size.width)x\(image.size.height)")
            }
        },
        Command("share", "videos | open | copy DIRECTORY | upload URL", "shares the last recording") { session, words in
            let preview = try session.lastPreview()
            let result =
                switch try words.needed(0, "the way to share it") {
                case "videos": try await preview.share(via: .saveToVideos)
                case "open": try await preview.share(via: .open)
                case "copy":
                    try await preview.share(via: .copy(to: URL(filePath: words.needed(1, "a directory"))))
                case "upload":
                    try await preview.share(via: .upload(to: words.address(1))) { progress in
                        say("uploaded \(Int(progress.fraction * 100)) %")
                    }
                case let other: throw UsageError(description: "There is no way “\(other)” to share.")
                }
            switch result {
            case .completed(let activity, let url): say("shared \(activity.rawValue)", url?.path ?? "")
            case .cancelled(let activity): say("cancelled \(activity.rawValue)")
            }
        },
    ]
}

extension [String] {
    func seconds(_ index: Int) throws -> Double {
        let text = try needed(index, "a number of seconds")
        guard let seconds = Double(text) else { throw UsageError(description: "“\(text)” is no number of seconds.") }
        return seconds
    }

    func address(_ index: Int) throws -> URL {
        let text = try needed(index, "an address")
        guard let url = URL(string: text) else { throw UsageError(description: "“\(text)” is no address.") }
        return url
    }
}
