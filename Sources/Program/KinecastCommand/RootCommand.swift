// The root of the command line, a thin client: it reads options, starts an engine or talks to a running one, and
// prints. It never captures, encodes or writes files of a take.
import ArgumentParser
import CBuild
import Glibc
import KineClient
import KineConfiguration
import KinePlatform
import KineProgram
import KineServices
import KineWire

@main
struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kinecast",
        abstract: "Records a Linux screen to a file that is always playable, and shows it live.",
        discussion: """
            Exit status: 0 done; 64 wrong usage; 69 something needed is missing; 70 the engine died (what was recorded is \
            kept); 73 the output cannot be written; 74 storage failed or is full; 75 a destination failed; 77 permission \
            refused; or that of COMMAND.
            """,
        version: Version.description,
        subcommands: [
            RecordCommand.self, BroadcastCommand.self, StatusCommand.self,
        ] + ControlCommands.all + [
            SourcesCommand.self, ServicesCommand.self, PermissionsCommand.self, ConfigCommand.self,
            ShortcutsCommand.self, TrayCommand.self, StudioCommand.self, ExtensionCommand.self,
            DoctorCommand.self, RecoverCommand.self, DismissCommand.self, TrimCommand.self, ExportCommand.self,
            ThumbnailCommand.self,
        ])

    static func main() {
        // Swift's runtime reads the arguments there. Without them, every command would look like a request for help.
        guard access("/proc/self/cmdline", R_OK) == 0 else {
            leave(
                CommandFailure.unavailable(
                    "There is no /proc here, without which programs in Swift get no arguments; mount it."))
        }
        // Without standard streams, the first opened files would take their numbers, and get the printed text. Here such a write fails.
        for stream in 0...2 where fcntl(Int32(stream), F_GETFD) < 0 {
            _ = open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY)
        }
        // A file or a memory file that reaches the limit of ulimit -f causes an error, not the end of the process.
        signal(SIGXFSZ, SIG_IGN)
        let arguments = ProcessEnvironment.arguments
        var configured: [ConfiguredOption] = []
        do {
            configured = try ConfigurationLayers.options(for: arguments)
            var command = try parseAsRoot(configured.arguments(before: arguments))
            try command.run()
            try Terminal.standardOutput.checkWritten()
        } catch let failure as CommandFailure {
            let isUsage = failure.status == ExitStatus.usage
            leave(isUsage ? .usage(configured.explaining(failure.message) ?? failure.message) : failure)
        } catch let error as ClientError {
            leave(CommandFailure(error))
        } catch let error as PermissionStore.Error {
            leave(CommandFailure(error))
        } catch let error as ServiceCatalog.InstallError {
            leave(CommandFailure(error))
        } catch {
            // The message repeats the invalid arguments, which may hold a stream key.
            let text = fullMessage(for: error)
            if missingCommand(in: arguments[...]) == nil,
                arguments.contains(where: { $0.contains("://") && text.contains($0) })
            {
                leave(.usage("An address was given where none is expected; put --to in front of it."))
            }
            if exitCode(for: error) == .validationFailure,
                let sentence = configured.explaining(message(for: error)) ?? hint(for: arguments)
            {
                leave(.usage(sentence))
            }
            if exitCode(for: error) == .success {
                if let sentence = arguments.first == "help" ? CommandNames.hint(for: arguments) : nil {
                    leave(.usage(sentence))
                }
                printHelp(error, for: arguments)
            }
            notify(message(for: error))
            exit(withError: error)
        }
    }

    /// One sentence on how to correct invalid arguments; nil if that is unknown.
    static func hint(for arguments: [String]) -> String? {
        if let command = missingCommand(in: arguments[...]), let first = arguments.first {
            // An address may hold a stream key.
            let (typed, option) = first.contains("://") ? ("an address", "--to ADDRESS") : (first, first)
            return "No command stands before \(typed); did you mean kinecast \(command) \(option)?"
        }
        return CommandNames.hint(for: arguments) ?? ForeignOptions.hint(for: arguments)
    }

    /// The command that is missing before a file, an address or an option; nil if there is one, or a word that may be
    /// mistyped.
    private static func missingCommand(in arguments: ArraySlice<String>) -> String? {
        guard let first = arguments.first, first.hasPrefix("-") || first.contains(where: { "./:".contains($0) }) else {
            return nil
        }
        let isBroadcast = arguments.prefix { $0 != "--" }.contains { $0.contains("://") || $0.hasPrefix("--to") }
        return isBroadcast ? "broadcast" : "record"
    }

    /// Prints the help, the version or the completions that were asked for, and exits.
    private static func printHelp(_ error: any Error, for arguments: [String]) -> Never {
        let text = fullMessage(for: error)
        let isScript = arguments.first?.hasPrefix("--generate-completion-script") == true
        let written = isScript ? CompletionScript.completingHelp(in: text) : text
        if !written.isEmpty { Terminal.standardOutput.json(written) }
        do throws(CommandFailure) { try Terminal.standardOutput.checkWritten() } catch { leave(error) }
        Glibc.exit(0)
    }

    private static func leave(_ failure: CommandFailure) -> Never {
        Terminal.standardError.problem(failure.message)
        notify(failure.message)
        Glibc.exit(failure.status)
    }

    /// Says on the desktop why a key's command did nothing. The message of an error that was reported before is empty.
    private static func notify(_ problem: String) {
        if !problem.isEmpty { DesktopNotifier.tell(.problem(problem)) }
    }
}

/// The version of Kinecast, defined only here; scripts/release reads it.
enum Version {
    static let number = "0.1.0"

    /// The number, and the commit if the build was given one.
    static var description: String {
        let commit = String(cString: kine_build_commit())
        return commit.isEmpty ? number : "\(number) (\(commit))"
    }
}
