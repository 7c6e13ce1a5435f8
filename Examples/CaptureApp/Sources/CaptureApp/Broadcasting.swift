// A broadcast to a service that the person picks, alone or beside a recording of the same take.
import Foundation
import Kinecast

extension Session {
    static let broadcasting: [Command] = [
        Command("services", "", "lists where this machine can broadcast to") { _, _ in
            for service in try await BroadcastServices().list() { say("service \(service.id): \(service.name)") }
        },
        Command("pick", "[SERVICE]", "lets you pick a service; only that one, if it is named") { session, words in
            session.picker.preferredService = words.first
            // The answers are lines too, so that the commands must not wait for them.
            Task { await session.pick() }
        },
        Command("broadcast", "[FILE]", "starts the broadcast that was picked; FILE: and records it") { session, words in
            let controller = try session.pickedController()
            try await controller.startBroadcast(recordingTo: words.first.map { URL(filePath: $0) })
            say("broadcasting", controller.broadcastURL?.absoluteString ?? "")
        },
        Command("pause-broadcast", "", "sends nothing for a while") { session, _ in
            try await session.pickedController().pauseBroadcast()
            say("broadcast paused")
        },
        Command("resume-broadcast", "", "sends again") { session, _ in
            try await session.pickedController().resumeBroadcast()
            say("broadcast resumed")
        },
        Command("add", "SERVICE [KEY=VALUE …]", "broadcasts to a further service") { session, words in
            let service = try await BroadcastServices().service(try words.needed(0, "a service"))
            let pairs = words.dropFirst().map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
            let values = Dictionary(pairs.map { ($0[0], $0.count > 1 ? $0[1] : "") }) { _, last in last }
            let number = try await session.pickedController().add(BroadcastSetup(service, values: values))
            say("added \(number)")
        },
        Command("remove", "NUMBER", "ends the broadcast to one service, while the others go on") { session, words in
            let number = try words.needed(0, "the number that “add” printed")
            try await session.pickedController().remove(Int(number) ?? -1)
            say("removed \(number)")
        },
        Command("finish", "", "ends the broadcast") { session, _ in
            let preview = try await session.pickedController().finishBroadcast()
            say("finished")
            if let preview { session.keep(preview) }
        },
        Command("find", "", "takes up the broadcast of an earlier run of this app") { session, _ in
            session.controller = try await BroadcastController.find(app: session.app).last
            say(session.controller.map { "found \($0.extensionIdentifier)" } ?? "found nothing")
        },
    ]

    private func pick() async {
        do throws(BroadcastError) {
            let controller = try await picker.present()
            controller.scope = recorder.scope
            self.controller = controller
            say("picked \(controller.extensionIdentifier)")
        } catch {
            say("error \(error.code): \(error.message)")
        }
    }

    private func pickedController() throws -> BroadcastController {
        guard let controller else { throw UsageError(description: "Nothing was picked yet; “pick” a service.") }
        return controller
    }
}

/// Shows the picker between the app's own lines. An app with windows would show one of its own here.
final class LinePresenter: BroadcastPresenter {
    private let lines: Lines

    init(_ lines: Lines) { self.lines = lines }

    func chooseService(_ request: BroadcastRequest) async throws(BroadcastError) -> BroadcastChoice {
        for service in request.services { say("choose \(service.id): \(service.name)") }
        guard let answer = await lines.ask("service, or nothing to cancel:") else {
            throw BroadcastError(.noPresenter, "Standard input has ended; start the app in a terminal.")
        }
        guard !answer.isEmpty else { throw .cancelled(by: "you") }
        return BroadcastChoice(service: answer, isMicrophoneEnabled: request.isMicrophoneEnabled)
    }

    func fillIn(_ form: BroadcastForm) async throws(BroadcastError) -> [String: String] {
        var values: [String: String] = [:]
        // What may be left out is left out.
        for field in form.fields where field.isRequired {
            guard let answer = await lines.ask("\(field.title):") else { throw .cancelled(by: "you") }
            values[field.key] = answer
        }
        return values
    }

    func showLogin(_ address: URL, for service: BroadcastService, cancel: @escaping @Sendable () -> Void) {
        say("log in to \(service.name): \(address.absoluteString)")
    }

    func showCountdown(_ secondsLeft: Int, cancel: @escaping @Sendable () -> Void) { say("in \(secondsLeft) s") }

    func close() {}
}
