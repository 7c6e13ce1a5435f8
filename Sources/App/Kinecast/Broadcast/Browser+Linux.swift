// Opens an address in the person's browser, where there is a desktop.
import FoundationEssentials
import KinePlatform

enum Browser {
    /// There is a desktop, where a browser can open.
    static var isAvailable: Bool {
        ["DISPLAY", "WAYLAND_DISPLAY"].contains { ProcessEnvironment.value($0) != nil }
    }

    /// Has the desktop open the address; does nothing without one. The address is shown in any case, so a failure is none. Every user of
    /// the machine can read it meanwhile, among the arguments of the programs that open it.
    @Sendable static func open(_ address: URL) {
        guard isAvailable else { return }
        Task {
            try? await DesktopProgram.start(
                DesktopProgram.openers, adding: [address.absoluteString], remedy: "", patience: DesktopProgram.patience)
        }
    }
}
