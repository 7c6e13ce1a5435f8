// The app's state, and its commands. Each command is one call of the library, or two.
import Foundation
import Kinecast

/// One of the app's commands.
struct Command: Sendable {
    typealias Body = @Sendable (isolated Session, [String]) async throws -> Void

    let name: String
    let arguments: String
    let help: String
    let body: Body

    init(_ name: String, _ arguments: String = "", _ help: String, _ body: @escaping Body) {
        (self.name, self.arguments, self.help, self.body) = (name, arguments, help, body)
    }
}

actor Session {
    let recorder: ScreenRecorder
    /// Of the capture that runs, or ran last.
    var counts: Counts?
    /// The last recording that has ended.
    var preview: RecordingPreview?

    let app: AppIdentity
    let picker: BroadcastPicker
    /// The broadcast that was picked or found.
    var controller: BroadcastController?

    init(_ recorder: ScreenRecorder, app: AppIdentity, lines: Lines) {
        self.recorder = recorder
        self.app = app
        picker = BroadcastPicker(app: app, presenter: LinePresenter(lines))
    }

    private static let commands = recording + capturing + clips + previewing + broadcasting

    /// Carries out a command, and prints what came of it.
    func run(_ name: String, _ arguments: [String]) async {
        if name == "help" {
            for command in Self.commands {
                say(
                    "  \("\(command.name) \(command.arguments)".padding(toLength: 22, withPad: " ", startingAt: 0)) \(command.help)"
                )
            }
            return
        }
        guard let command = Self.commands.first(where: { $0.name == name }) else {
            return say("There is no command “\(name)”; “help” lists them.")
        }
        do {
            try await command.body(self, arguments)
        } catch let error as RecordingError {
            // The code is for programs, the message for people. What there is of a recording comes with the error.
            say("error \(error.code): \(error.message)")
            if let saved = error.preview { keep(saved) }
        } catch let error as BroadcastError {
            say("error \(error.code): \(error.message)")
            if let saved = error.preview { keep(saved) }
        } catch {
            say("error: \(error)")
        }
    }

    func happened(_ event: ScreenRecorder.Event) {
        switch event {
        case .availabilityChanged(let isAvailable): say(isAvailable ? "available" : "not available")
        case .warning(let sentence): say("warning: \(sentence)")
        case .screenLocked(let isLocked): say(isLocked ? "screen locked" : "screen unlocked")
        case .clipBufferingStopped(let error): say("buffering stopped\(error.map { ": \($0.message)" } ?? "")")
        case .stopped(let preview, let error):
            say("stopped\(error.map { ": \($0.message)" } ?? "")")
            if let preview { keep(preview) }
        }
    }

    /// The app is about to end: nothing that runs is lost.
    func end() async {
        if controller?.isBroadcasting == true { _ = try? await controller?.finishBroadcast() }
        if recorder.isClipBuffering { try? await recorder.stopClipBuffering() }
        guard recorder.isRecording else { return }
        if let preview = try? await recorder.stopRecording() { keep(preview) }
        try? await recorder.stopCapture()
    }

    func keep(_ preview: RecordingPreview) {
        self.preview = preview
        let place = preview.url?.path ?? "nowhere"
        say(
            "preview \(preview.duration.formatted(.units(allowed: [.seconds], fractionalPart: .show(length: 3)))) \(place)"
        )
    }

    func lastPreview() throws -> RecordingPreview {
        guard let preview else { throw UsageError(description: "Nothing was recorded yet; “record”, then “stop”.") }
        return preview
    }
}

extension [String] {
    /// The argument with that number, which the command needs.
    func needed(_ index: Int, _ meaning: String) throws -> String {
        guard index < count else { throw UsageError(description: "The command needs \(meaning).") }
        return self[index]
    }
}
