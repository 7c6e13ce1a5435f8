// The process kinecast-tray: its arguments, its one instance, and its last sentence.
import Glibc
import KineDesktop
import KinePlatform
import KineProgram
import KineShortcuts
import KineTakes
import KineText
import SystemPackage

/// `kinecast-tray`, `kinecast-tray --quit` or `kinecast-tray --autostart on|off`; `kinecast tray` becomes it. The studio starts
/// `kinecast-tray --with-take`, which ends with the last take.
public enum TrayProgram {
    private static let program = HelperProgram("kinecast-tray")

    public static func main() -> Never { program.main { try run($0) } }

    private static func run(_ arguments: [String]) throws {
        // Before any thread exists.
        let signals = SignalDescriptor([SIGTERM, SIGINT, SIGHUP])
        // A bus or an engine that has ended is an error, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        guard let own = ExecutableSearch.own else { throw CommandFailure.unavailable("/proc is not there; mount it.") }
        let executable = FilePath(escaped: own)
        switch arguments {
        case []: try show(executable, signals)
        case ["--with-take"]: try show(executable, signals, endsWithTakes: true)
        case ["--quit"]: try quit()
        case ["--autostart", "on"]: try setAutostart(executable, isOn: true)
        case ["--autostart", "off"]: try setAutostart(executable, isOn: false)
        default: throw CommandFailure.usage("These arguments are unknown; run kinecast tray.")
        }
    }

    private static func lockFile(in directory: FilePath) -> FilePath { directory.appending("tray.lock") }

    private static func show(
        _ executable: FilePath, _ signals: SignalDescriptor, endsWithTakes: Bool = false
    ) throws {
        let registry = try TakeRegistry.standard()
        let directory = registry.directory.removingLastComponent()
        let lock = try HelperProgram.using(directory) { try InstanceLock.claim(lockFile(in: directory)) }
        guard let lock else { return program.say("kinecast-tray is already running; kinecast tray --quit ends it.") }
        let context = TrayLoop.Context(
            bus: BusAddresses.find().session, registry: registry,
            kinecast: ProgramLauncher.kinecast(beside: executable),
            recordings: UserDirectories.kinecastRecordings, themes: StatusItem.themes(above: executable),
            endsWithTakes: endsWithTakes,
            complain: program.say)
        let loop: TrayLoop
        do {
            // The film of a take that begins would show the desktop's dialog.
            let shortcuts = ShortcutHolder.open(asks: !endsWithTakes, complain: program.say)
            loop = try TrayLoop(context, shortcuts: shortcuts, signals: signals)
        } catch {
            throw CommandFailure.unavailable(
                "No take can be watched (\(error)); raise fs.inotify.max_user_instances (sysctl).")
        }
        let ending = withExtendedLifetime(lock) { loop.run() }
        switch ending {
        case .quit: break
        case .busLost: program.say("The session bus has ended, and the tray with it.")
        case .noHost:
            throw CommandFailure.unavailable(
                "This desktop shows no items in a tray; GNOME does with its extension AppIndicator Support. Or bind "
                    + "kinecast record --toggle to a key.")
        }
    }

    private static func quit() throws {
        let directory = try TakeRegistry.standard().common
        try program.quit(lockFile(in: directory), nothing: "kinecast-tray is not running.")
    }

    private static func setAutostart(_ executable: FilePath, isOn: Bool) throws {
        guard let configuration = UserDirectories.configuration() else {
            throw CommandFailure.unavailable("There is no place for settings; set HOME or XDG_CONFIG_HOME.")
        }
        guard let kinecast = ProgramLauncher.kinecast(beside: executable) else {
            throw CommandFailure.unavailable("There is no kinecast beside \(executable); install Kinecast completely.")
        }
        try HelperProgram.using(Autostart.path(in: configuration)) {
            guard isOn else { return try Autostart.disable(in: configuration) }
            try Autostart.enable(kinecast, in: configuration)
        }
        program.say(isOn ? "It starts with the desktop from now on." : "It does not start with the desktop any more.")
    }
}
