// The object with the keyboard focus, as programs report it to assistive technologies (AT-SPI 2: at-spi2-core, xml/).
import Glibc

/// Follows the focus of all programs that are on the accessibility bus. Used on one thread, which polls.
///
/// A program reports its focus only when it changes: a focus from before this object was created is unknown.
public final class AccessibleFocus {
    /// Called whenever an object gets or loses the focus.
    public var focusMoved: () -> Void = {}

    private let session: BusConnection?
    /// The accessibility bus, once the session bus has given its address.
    private var bus: BusConnection?
    /// The path of the focused object, by the program's name on the bus.
    private var focused: [String: String] = [:]
    private var processes: [String: Int32] = [:]
    /// Above this limit all programs are forgotten: the list may contain some that have ended.
    private static let mostPrograms = 256

    private static let accessible = "org.a11y.atspi.Accessible"
    private static let events = "org.a11y.atspi.Event.Object"
    private static let registry = "org.a11y.atspi.Registry"

    /// - Parameter addresses: only the session bus is used. Without one, no focus is ever known.
    public init(_ addresses: BusAddresses) {
        session = addresses.session.flatMap { try? BusConnection(address: $0) }
        session?.call(
            BusCall("org.a11y.Bus", path: "/org/a11y/bus", interface: "org.a11y.Bus", "GetAddress")
        ) { [weak self] answer in
            if let address = (try? answer.get())?.first?.asString { self?.connect(address) }
        }
    }

    private func connect(_ address: String) {
        guard let bus = try? BusConnection(address: address) else { return }
        self.bus = bus
        bus.match("type='signal',interface='\(Self.events)',member='StateChanged',arg0='focused'") { [weak self] in
            self?.received($0)
        }
        // Programs send only events that a client has registered for.
        bus.call(
            BusCall(
                Self.registry, path: "/org/a11y/atspi/registry", interface: Self.registry, "RegisterEvent",
                [.string("object:state-changed:focused")])
        ) { _ in }
    }

    // MARK: For the thread's poll

    public var pollEntries: [pollfd] { [session, bus].compactMap(\.self).flatMap(\.pollEntries) }

    /// The latest instant to call `process`, nanoseconds of CLOCK_MONOTONIC; nil: after poll returns.
    public var nextDeadline: Int64? { [session, bus].compactMap { $0?.nextDeadline }.min() }

    /// Sends and receives without waiting; calls `focusMoved` and the answers.
    public func process() {
        session?.process()
        guard let bus, !bus.isClosed else { return }
        bus.process()
        guard bus.isClosed else { return }
        focused = [:]
        processes = [:]
        focusMoved()
    }

    private func received(_ signal: BusSignal) {
        let arguments = signal.arguments
        guard signal.interface == Self.events, arguments.count > 1, arguments[0].asString == "focused" else { return }
        if arguments[1].asInt32 == 1 {
            if focused.count >= Self.mostPrograms {
                focused = [:]
                processes = [:]
            }
            focused[signal.sender] = signal.path
            findProcess(of: signal.sender)
        } else if focused[signal.sender] == signal.path {
            focused[signal.sender] = nil
        }
        focusMoved()
    }

    private func findProcess(of program: String) {
        guard processes[program] == nil else { return }
        bus?.call(BusDaemon.method("GetConnectionUnixProcessID", [.string(program)])) { [weak self] answer in
            guard let number = (try? answer.get())?.first?.asUInt32, let process = Int32(exactly: number) else {
                return
            }
            self?.processes[program] = process
            self?.focusMoved()
        }
    }

    /// Asks the program with that process for its focused object. The answer names it if its role shows typed text on
    /// the screen; nil: a password field or a terminal, or unknown. The answer may come late, or never if the program
    /// does not answer.
    public func ask(process: Int32, answer: @escaping (String?) -> Void) {
        let programs = focused.filter { processes[$0.key] == process }
        guard programs.count == 1, let (program, path) = programs.first else { return answer(nil) }
        call(program, path, "GetRole") { [weak self] values in
            guard let number = values?.first?.asUInt32, let role = accessibleRoles[number], let self else {
                return answer(nil)
            }
            call(program, path, "GetState") { values in
                let words = values?.first?.elements?.compactMap(\.asUInt32) ?? []
                let isFocused = words.first.map { $0 >> Self.focusedState & 1 != 0 } ?? false
                answer(isFocused ? "\(program) \(path) \(role)" : nil)
            }
        }
    }

    /// ATSPI_STATE_FOCUSED (at-spi2-core, atspi-constants.h).
    private static let focusedState: UInt32 = 12

    private func call(_ program: String, _ path: String, _ method: String, _ heard: @escaping ([BusValue]?) -> Void) {
        guard let bus else { return heard(nil) }
        bus.call(BusCall(program, path: path, interface: Self.accessible, method)) { heard(try? $0.get()) }
    }
}

/// Roles whose typed text may be shown: fields that show it anyway, and controls that keys move. Not a password field
/// (40), a terminal (60), or an object whose role does not say: a window, a panel, a canvas.
///
/// AT-SPI 2: at-spi2-core, atspi-constants.h, AtspiRole.
let accessibleRoles: [UInt32: String] = [
    7: "check box", 8: "check menu item", 11: "combo box", 31: "list", 32: "list item", 33: "menu", 34: "menu bar",
    35: "menu item", 37: "page tab", 38: "page tab list", 43: "push button", 44: "radio button",
    45: "radio menu item", 51: "slider", 52: "spin button", 55: "table", 56: "table cell", 61: "text",
    62: "toggle button", 65: "tree", 66: "tree table", 73: "paragraph", 76: "autocomplete", 77: "editbar",
    79: "entry", 82: "document frame", 88: "link", 90: "table row", 91: "tree item", 92: "document spreadsheet",
    93: "document presentation", 94: "document text", 95: "document web", 96: "document email",
]
