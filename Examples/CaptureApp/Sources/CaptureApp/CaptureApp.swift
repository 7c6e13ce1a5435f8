// A terminal app that records itself in every way that the library offers: it reads commands, one a line.
import Foundation
import Kinecast

@main
enum CaptureApp {
    static func main() async {
        let app = AppIdentity(identifier: "org.kinecast.example.CaptureApp", name: "CaptureApp")
        let recorder = ScreenRecorder(app: app)
        do {
            recorder.scope = try scope(CommandLine.arguments.dropFirst().first ?? "screen")
        } catch {
            say("\(error)")
            exit(64)
        }
        let lines = Lines()
        let session = Session(recorder, app: app, lines: lines)
        // Events come without a command: a warning, or the end of a recording that somebody else stopped.
        let watcher = Task { for await event in recorder.events { await session.happened(event) } }
        say("CaptureApp: type a command; “help” lists them.")
        for await line in lines.commands() {
            let words = line.split(separator: " ").map(String.init)
            guard let name = words.first else { continue }
            if name == "quit" { break }
            await session.run(name, Array(words.dropFirst()))
        }
        await session.end()
        watcher.cancel()
    }

    /// A terminal app has no window of its own: it has to choose what it captures.
    private static func scope(_ text: String) throws(UsageError) -> CaptureScope {
        if text == "screen" { return .screen }
        let size = text.split(separator: "x").compactMap { Int($0) }
        guard size.count == 2 else {
            throw UsageError(description: "usage: CaptureApp [screen | WIDTHxHEIGHT of a private screen]")
        }
        return .virtual(PixelSize(width: size[0], height: size[1]))
    }
}

struct UsageError: Error, CustomStringConvertible {
    var description: String
}

/// Prints a line at once, also where another program reads it.
func say(_ words: String...) { FileHandle.standardOutput.write(Data((words.joined(separator: " ") + "\n").utf8)) }
