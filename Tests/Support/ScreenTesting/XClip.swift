// Another program that uses the clipboard: xclip, which knows nothing of Kinecast.
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage

package enum XClip {
    /// The clipboard's contents in a form; "TARGETS" lists the forms.
    package static func paste(_ target: String = "UTF8_STRING", display: String) throws -> String {
        try Tool.output("env", ["DISPLAY=\(display)", "xclip", "-o", "-selection", "clipboard", "-t", target])
    }

    /// Puts a text on the clipboard, which the process owns from a moment later on until it is ended.
    package static func copy(_ text: String, display: String) throws -> ChildProcess {
        let input = try MemoryInput(Array(text.utf8), name: "copied")
        var options = ChildProcess.Options()
        options.descriptors = [input.descriptor, nil, nil]
        options.parentDeathSignal = SIGTERM
        return try ChildProcess(
            executable: try Tool.path(of: "xclip"), arguments: ["-i", "-quiet", "-selection", "clipboard"],
            environment: ProcessEnvironment.merging(ProcessEnvironment.current, ["DISPLAY=\(display)"]),
            options: options)
    }
}
