// Monitors that a person defines, as parts of the screen's one output.
import KineMedia
import KinePlatform
import Testing

extension PrivateScreen {
    /// Defines a monitor, or gives it another place.
    package func setMonitor(_ name: String, _ rect: PixelRect) throws {
        try xrandr("--setmonitor", name, "\(rect.width)/75x\(rect.height)/50+\(rect.x)+\(rect.y)", "screen")
    }

    package func deleteMonitor(_ name: String) throws { try xrandr("--delmonitor", name) }

    private func xrandr(_ arguments: String...) throws {
        let process = try ChildProcess(
            executable: "/usr/bin/xrandr", arguments: arguments, environment: ["DISPLAY=\(name)"])
        #expect(process.wait() == .exited(status: 0))
    }
}
