// Opens an address in the person's browser, where there is a desktop.
import FoundationEssentials
import Glibc
import KinePlatform
import SystemPackage

enum Browser {
    /// Has the desktop open the address; does nothing without one. The address is shown in any case, so a failure is none.
    static func open(_ address: URL) {
        let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { ProcessEnvironment.value($0) != nil }
        guard hasDesktop, let opener = ExecutableSearch.find("xdg-open") else { return }
        // The thread reaps the opener, which may wait for the browser.
        _ = try? DedicatedThread(starting: "kine-browser") {
            var options = ChildProcess.Options()
            options.descriptors = [nil, nil, nil]
            options.newSession = true
            _ = try? ChildProcess(
                executable: opener, arguments: [address.absoluteString], environment: ProcessEnvironment.current,
                options: options
            ).wait()
        }
    }
}
