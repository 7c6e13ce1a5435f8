// `kinecast studio`: replaces this process by kinecast-studio, which serves the studio's page.
import ArgumentParser
import KineText
import SystemPackage

struct StudioCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "studio", abstract: "Open a window to choose what to record, and to control takes.",
        usage: "kinecast studio [FILE] [--no-browser] [--quit] [options]",
        discussion: """
            The window is a page that is served to this machine alone. A second kinecast studio opens another window. The \
            server ends by itself ten minutes after the last window and take; takes go on without it. The window's browser is that of \
            kinecast config set studio browser PROGRAM, that of $BROWSER, or a Chromium.
            """)

    @Argument(help: ArgumentHelp("A recording to show.", valueName: "FILE"), completion: .file(extensions: ["mp4"]))
    var file: String?

    @Flag(help: "Print the link instead of opening a browser. It works once, within a minute.")
    var noBrowser = false

    @Option(help: ArgumentHelp("The server's port on 127.0.0.1; if not given, a free one.", valueName: "N"))
    var port: Int?

    @Option(
        help: ArgumentHelp(
            "The address of a tunnel or a proxy that leads to the server: https://HOST/PATH, or http:// with localhost.",
            valueName: "URL"))
    var publicURL: String?

    @Flag(help: "End the server that runs.")
    var quit = false

    func validate() throws {
        if quit, noBrowser || port != nil || publicURL != nil || file != nil {
            throw ValidationError("--quit stands alone; leave out the other options.")
        }
    }

    func run() throws {
        var options = quit ? ["--quit"] : []
        if noBrowser { options.append("--no-browser") }
        if let port { options += ["--port", "\(port)"] }
        if let publicURL { options += ["--public-url", publicURL] }
        if let file { options.append(try OutputPath.workingDirectory().pushing(FilePath(escaped: file)).escaped) }
        try NeighbourProgram.become("kinecast-studio", options)
    }
}
