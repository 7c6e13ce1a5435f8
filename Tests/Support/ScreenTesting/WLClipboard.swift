// Other programs that use a Wayland clipboard: those of wl-clipboard, which know nothing of Kinecast.
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage

package enum WLClipboard {
    /// The clipboard's contents in a type. Throws where there is none of it.
    package static func paste(_ type: String = "text/plain;charset=utf-8", display: String) throws -> String {
        try Tool.output(
            "env", ["WAYLAND_DISPLAY=\(display)", try Tool.path(of: "wl-paste"), "--no-newline", "--type", type])
    }

    package static func types(display: String) throws -> [String] {
        try Tool.output("env", ["WAYLAND_DISPLAY=\(display)", try Tool.path(of: "wl-paste"), "--list-types"])
            .split(separator: "\n").map(String.init)
    }

    /// Puts a text on the clipboard, which the process owns from a moment later on until it is ended.
    package static func copy(
        _ text: String, type: String = "text/plain;charset=utf-8", display: String
    ) throws -> ChildProcess {
        let input = try MemoryInput(Array(text.utf8), name: "copied")
        var options = ChildProcess.Options()
        options.descriptors = [input.descriptor, nil, nil]
        options.parentDeathSignal = SIGTERM
        return try ChildProcess(
            executable: try Tool.path(of: "wl-copy"), arguments: ["--foreground", "--type", type],
            environment: ProcessEnvironment.merging(ProcessEnvironment.current, ["WAYLAND_DISPLAY=\(display)"]),
            options: options)
    }
}
