// Recording to a file: start, pause, microphone, stop, and the preview of what was recorded.
import Foundation
import Kinecast

extension Session {
    static let recording: [Command] = [
        Command("record", "[stays]", "starts a recording; “stays”: it goes on where the app is killed") {
            session, words in
            let start = try await session.recorder.startRecording(outlivesApp: words.first == "stays")
            say("recording \(start.size.width)x\(start.size.height)", start.environment.joined(separator: " "))
        },
        Command("again", "", "takes up the recording of an earlier run of this app") { session, _ in
            say(try await session.recorder.resumeControl() == nil ? "nothing runs" : "recording again")
            for preview in try await session.recorder.unsavedRecordings() { session.keep(preview) }
        },
        Command("pause", "", "records nothing for a while") { session, _ in
            try await session.recorder.pauseRecording()
            say("paused")
        },
        Command("resume", "", "records again") { session, _ in
            try await session.recorder.resumeRecording()
            say("resumed")
        },
        Command("mic", "on|off", "records the microphone too; before and during a recording") { session, words in
            session.recorder.isMicrophoneEnabled = try words.needed(0, "“on” or “off”") == "on"
            say("microphone \(session.recorder.isMicrophoneEnabled ? "on" : "off")")
        },
        Command("stop", "[FILE]", "ends the recording; to FILE, or for a preview") { session, words in
            if let path = words.first {
                try await session.recorder.stopRecording(to: URL(filePath: path))
                say("saved \(path)")
            } else {
                session.keep(try await session.recorder.stopRecording())
            }
        },
        Command("discard", "", "throws away the recording that runs, or the last unsaved one") { session, _ in
            if session.recorder.isRecording {
                try await session.recorder.discardRecording()
            } else {
                try await session.lastPreview().discard()
            }
            say("discarded")
        },
        Command("save", "FILE", "saves the last recording there") { session, words in
            let path = try words.needed(0, "a file’s path")
            try await session.lastPreview().save(to: URL(filePath: path))
            say("saved \(path)")
        },
        Command("available", "", "says whether a recording could start now") { session, _ in
            say(await session.recorder.isAvailable ? "available" : "not available")
        },
    ]
}
