// Opens an address in the person's browser, if there is a desktop.
import FoundationEssentials
import KinePlatform

enum Browser {
    /// Whether there is a desktop on which a browser can open.
    static var isAvailable: Bool {
        ["DISPLAY", "WAYLAND_DISPLAY"].contains { ProcessEnvironment.value($0) != nil }
    }

    /// Opens the address with the desktop's browser, if there is a desktop. Errors are ignored, since the address is
    /// also shown. Every user of the machine can read it among the arguments of the programs that open it.
    @Sendable static func open(_ address: URL) {
        guard isAvailable else { return }
        Task {
            try? await DesktopProgram.start(
                DesktopProgram.openers, adding: [address.absoluteString], remedy: "", timeout: DesktopProgram.timeout)
        }
    }
}
