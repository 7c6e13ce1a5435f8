// What the numbers were made on, without which they mean nothing.
import Glibc
import KineMeasure

enum Machine {
    /// Two lines of Markdown: how to get the numbers again, and on what they were made.
    static func description(
        command: String = CommandLine.arguments.dropFirst().joined(separator: " "),
        packages: [String] = ["ffmpeg", "libx264-164", "xvfb", "pulseaudio"]
    ) -> String {
        let processor = ProcFiles.processor()
        let kernel = ProcFiles.read("/proc/sys/kernel/osrelease").split(separator: "\n").first ?? "?"
        let distribution =
            ProcFiles.read("/etc/os-release").split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
            .map { $0.dropFirst(12).filter { $0 != "\"" } } ?? "unknown"
        let versions = packages.map { "\($0) \(version(of: $0))" }
        let suffix = command.isEmpty ? "" : " \(command)"
        return """
            Command: `scripts/bench\(suffix)`

            Machine: \(processor.model), \(processor.count) cores, \(distribution), Linux \(kernel); \
            \(versions.joined(separator: ", ")).
            """
    }

    private static func version(of package: String) -> String {
        (try? Tool.output("dpkg-query", ["-W", "-f=${Version}", package])) ?? "?"
    }
}
