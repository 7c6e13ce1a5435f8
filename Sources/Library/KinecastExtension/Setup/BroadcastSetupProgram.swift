// The class that a service's setup program subclasses and marks `@main`.
import CLinux
import FoundationEssentials
import Glibc
import KineMedia
import KinePlatform
import KineWire
import SystemPackage

/// A field that a setup program asks for.
public typealias SetupField = KineWire.SetupQuestionField
/// The result of a setup program.
public typealias SetupResult = KineWire.SetupResult

/// Asks the person for a service's settings, or lets them log in, and returns the setup info for its extension.
///
///     @main final class MeterSetup: BroadcastSetupProgram {
///         override func setUp() async throws -> SetupResult {
///             var token = SetupField(key: "token", title: "Upload token", type: .secret, required: true)
///             token.pattern = "mt_*"
///             let answers = await ask([token], message: "The token is on the site, under Account.")
///             return SetupResult(setupInfo: answers)
///         }
///     }
///
/// The app's picker starts the program in its own process, confined like the service's extension: without a display,
/// and with the network only if the manifest requests it. When the person or the app cancels, the process is ended.
@MainActor
open class BroadcastSetupProgram {
    private var channel: SetupChannel?
    private var questions = 0
    /// The app that wants to broadcast, as it identifies itself.
    public private(set) final var app = AppIdentity(identifier: "")

    public required init() {}

    /// Sets up one broadcast. The keys of the setup info are those of the manifest's settings. If it throws, the person
    /// sees the error's `errorDescription` or else its description: one sentence.
    open func setUp() async throws -> SetupResult { SetupResult(setupInfo: [:]) }

    /// Lets the person fill in fields, and returns valid values by field key. An optional field that was left empty is
    /// absent. One question at a time, and at most 32.
    public final func ask(_ fields: [SetupField], message: String? = nil) async -> [String: String] {
        questions += 1
        guard let channel else { return [:] }
        channel.send(.ask(SetupQuestion(question: questions, message: message, fields: fields)))
        return await channel.answers(to: questions)
    }

    /// Shows the person an https address for the login, and opens it when they agree. The manifest needs
    /// `"network": "connect"`. Find out over the network when the login is complete, then continue.
    public final func showLogin(_ address: String) { channel?.send(.login(address)) }

    /// The program's entry point. Only an app's picker starts it.
    public static func main() async {
        // This memory will hold secrets: no other process of the user may read it.
        kine_forbid_dump()
        signal(SIGPIPE, SIG_IGN)
        let control = FileDescriptor(rawValue: 3)
        guard fcntl(control.rawValue, F_GETFD) >= 0, let channel = try? SetupChannel(adopting: control) else {
            _ = try? FileDescriptor.standardError.writeAll(
                "This is the setup program of a service of Kinecast, which apps start by themselves.\n".utf8)
            exit(ExitStatus.usage)
        }
        let program = Self.init()
        program.channel = channel
        program.app = await channel.start().app
        do {
            channel.send(.finished(try await program.setUp()))
        } catch {
            channel.send(.failed((error as? any LocalizedError)?.errorDescription ?? String(describing: error)))
        }
        channel.drain()
        exit(0)
    }
}
