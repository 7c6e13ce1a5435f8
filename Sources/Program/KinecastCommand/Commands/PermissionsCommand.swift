// `kinecast permissions`: the user's decisions on which apps may capture the screen, the microphone and the camera.
import ArgumentParser
import KineMedia
import KinePlatform
import KineProgram
import KineText
import KineWire
import SystemPackage

struct PermissionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "permissions",
        abstract: "List which apps may record the screen, the microphone and the camera; allow it, or take it back.",
        discussion: """
            Apps that use Kinecast ask the first time. It is a courtesy among the programs of one user, not a border: a program \
            of yours that wants to get around it can.
            """,
        subcommands: [ListCommand.self, GrantCommand.self, RevokeCommand.self], defaultSubcommand: ListCommand.self)

    struct ListCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the apps that have asked, and the answers.")

        @Flag(help: "Print a line of JSON for each app on standard output.")
        var json = false

        func run() throws {
            let apps = try PermissionStore.standard().list()
            if json { return apps.forEach { JSONEvents.write($0) } }
            guard !apps.isEmpty else { return Terminal.standardError.line("No app has asked yet.") }
            let rows = apps.map { app in
                [
                    app.subject.identifier, app.screen?.rawValue ?? "not asked",
                    app.microphone?.rawValue ?? "not asked", app.camera?.rawValue ?? "not asked",
                    app.subject.executable,
                ].map { $0.printable(limit: 400) }
            }
            TextTable.lines([["APP", "SCREEN", "MICROPHONE", "CAMERA", "PROGRAM"]] + rows)
                .forEach(Terminal.standardOutput.line)
        }
    }

    struct GrantCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "grant",
            abstract: "Allow an app to record before it asks, as on a machine where no person is asked.",
            usage: "kinecast permissions grant PROGRAM [options]")

        @Argument(help: ArgumentHelp("The app's executable.", valueName: "PROGRAM"), completion: .file())
        var program: String

        @Option(
            help: ArgumentHelp(
                "The app's identifier; if not given, that of kinecast-app.json beside it, or else its name.",
                valueName: "IDENTIFIER"))
        var id: String?

        @Flag(help: "Allow the screen; without --screen, --microphone and --camera all are allowed.")
        var screen = false

        @Flag(help: "Allow the microphone.")
        var microphone = false

        @Flag(help: "Allow the camera.")
        var camera = false

        @Flag(help: "Print the app's permissions as a line of JSON on standard output.")
        var json = false

        func run() throws {
            guard let executable = FilePath(escaped: program).resolved else {
                throw CommandFailure.usage(
                    "There is no program \(program.printable(limit: 200)); give the path of one.")
            }
            let identity = try identity(of: executable)
            let subject = PermissionSubject(identifier: identity.identifier, executable: executable.escaped)
            let chosen = Set(
                [(screen, PermissionKind.screen), (microphone, .microphone), (camera, .camera)]
                    .filter(\.0).map(\.1))
            let store = try PermissionStore.standard()
            let kinds = chosen.isEmpty ? Set(PermissionKind.allCases) : chosen
            try store.decide(.granted, kinds, for: subject, name: identity.name)
            if json, let app = try store.permissions(of: subject) { JSONEvents.write(app) }
            Terminal.standardError.line(
                "\(identity.identifier.printable(limit: 200)) (\(executable)) may record "
                    + "\(PermissionKind.words(kinds)).")
        }

        private func identity(of executable: FilePath) throws -> AppIdentity {
            if let id { return AppIdentity(identifier: id) }
            do throws(AppIdentity.FileProblem) {
                return try AppIdentity.of(executable: executable)
            } catch {
                switch error {
                case .unreadable(let file, let errno):
                    throw CommandFailure.usage(
                        "\(file) cannot be read (\(errno)); correct its permissions or give --id.")
                case .damaged(let file, let problem):
                    throw CommandFailure.usage("In \(file), \(problem); correct it or give --id.")
                }
            }
        }
    }

    struct RevokeCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Forget the answers about an app, which asks again the next time.")

        @Argument(
            help: ArgumentHelp("The app's identifier, or the path of its executable.", valueName: "APP"),
            completion: .custom { _, _, _ in
                ((try? PermissionStore.standard().list()) ?? []).map(\.subject.identifier)
            })
        var app: String

        func run() throws {
            let path = FilePath(escaped: app).resolved?.escaped
            let removed = try PermissionStore.standard().revoke {
                $0.subject.identifier == app || $0.subject.executable == app || $0.subject.executable == path
            }
            guard !removed.isEmpty else {
                throw CommandFailure.unavailable(
                    "Nothing is known of \(app.printable(limit: 200)); kinecast permissions lists the apps.")
            }
            for app in removed {
                Terminal.standardError.line(
                    "\(app.subject.identifier.printable(limit: 200)) (\(app.subject.executable)) asks again.")
            }
        }
    }
}
