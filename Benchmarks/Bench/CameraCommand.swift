// A camera over an idle page: Kinecast beside ffmpeg's overlay, with the same camera.
import ArgumentParser
import KineMeasure

struct CameraCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "camera", abstract: "Compares recording an idle screen under a camera with ffmpeg.",
        discussion: """
            1920×1080, a circle of 270 pixels at 30 frames a second. The camera is a file of MJPEG frames of 640×480, as a webcam \
            sends them, read in its own time by both. What counts is the CPU of the whole process tree with the X server's \
            increase, starting and ending included.
            """)

    @Option(help: "Rounds; each runs both recorders once.")
    var runs = 5

    @Option(help: "Seconds of each run.")
    var seconds = 10.0

    static let costLimit = 0.25
    /// A quarter of the picture's height, two hundredths of it from the edges: Kinecast's usual place.
    private static let side = 270
    private static let margin = 22

    func validate() throws { try check(runs: runs, seconds: seconds) }

    func run() throws {
        let laboratory = try Laboratory()
        defer { laboratory.close() }
        let folder = try TemporaryDirectory()
        let (camera, mask) = (folder.file("camera.avi"), folder.file("mask.png"))
        try Self.makeInputs(camera: camera, mask: mask)
        let take = Take(scene: .idle, seconds: seconds)
        let recorders = [
            (
                try Tool.sibling("kinecast"),
                [
                    "record", laboratory.output, "--fps", "30", "--audio", "none", "--duration",
                    "\(fixed(seconds, 1))s", "--camera", camera, "--camera-shape", "circle",
                ]
            ), (try Tool.path(of: "ffmpeg"), ffmpeg(take, laboratory, camera, mask)),
        ]
        let outcomes = try inTurn(runs, "camera") { which, _ in
            try laboratory.observe(take, recorders[which].0, recorders[which].1)
        }
        print(Machine.description(["xvfb", "libx264-164", "ffmpeg"]))
        print(
            "\n"
                + Tables.table(
                    "recorder | >CPU s | >+ X server s | >CPU % | >peak MiB | >bytes",
                    zip(["Kinecast", "ffmpeg"], outcomes).map { [$0] + $1.cells }))
        let ratio = median(outcomes[0].ratios(to: outcomes[1], \.seconds))
        print(
            "\nCPU \(fixed(ratio, 3)) × ffmpeg, at most \(fixed(Self.costLimit, 2)): "
                + Verdict.mark(ratio <= Self.costLimit))
    }

    private func ffmpeg(_ take: Take, _ laboratory: Laboratory, _ camera: String, _ mask: String) -> [String] {
        let circle = "crop=480:480,scale=\(Self.side):\(Self.side),format=yuva420p"
        let place = "overlay=W-w-\(Self.margin):H-h-\(Self.margin)"
        return ["-v", "error", "-nostdin"] + FFmpeg.grab(take, laboratory.displayName) + [
            "-re", "-stream_loop", "-1", "-i", camera, "-i", mask, "-filter_complex",
            "[0:v]\(FFmpeg.conversion)[screen];[1:v]\(circle)[square];"
                + "[2:v]format=gray,loop=loop=-1:size=1[mask];[square][mask]alphamerge[camera];"
                + "[screen][camera]\(place):shortest=1[out]",
            "-map", "[out]", "-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-bf", "0", "-g", "300",
            "-t", fixed(seconds, 1), laboratory.output,
        ]
    }

    /// A camera's frames with some noise, and a white circle.
    private static func makeInputs(camera: String, mask: String) throws {
        let sources = [
            [
                "-f", "lavfi", "-i", "testsrc2=size=640x480:rate=30:duration=4,noise=alls=6:allf=t", "-c:v", "mjpeg",
                "-q:v", "5", "-pix_fmt", "yuvj422p", camera,
            ],
            [
                "-f", "lavfi", "-i",
                "color=black:size=\(side)x\(side),format=gray,geq='lum=255*lt(hypot(X-W/2+0.5,Y-H/2+0.5),W/2)'",
                "-frames:v", "1", mask,
            ],
        ]
        for arguments in sources {
            _ = try Tool.output(try Tool.path(of: "ffmpeg"), ["-v", "error", "-nostdin"] + arguments)
        }
    }
}
