// A camera over an idle page: Kinecast beside ffmpeg's overlay, with the same camera.
import ArgumentParser
import Glibc
import KineMeasure
import KineMedia
import KinePlatform

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
    private static let size = PixelSize(width: 1920, height: 1080)
    /// A quarter of the picture's height, two hundredths of it from the edges: Kinecast's usual place.
    private static let side = 270
    private static let margin = 22

    func validate() throws {
        guard runs > 0 else { throw ValidationError("--runs must be at least 1.") }
        guard seconds >= 1 else { throw ValidationError("--seconds must be at least 1.") }
    }

    func run() throws {
        let laboratory = try Laboratory(size: Self.size, withAudio: false)
        defer { laboratory.close() }
        let folder = try TemporaryDirectory()
        let (camera, mask) = (folder.file("camera.avi"), folder.file("mask.png"))
        try Self.makeInputs(camera: camera, mask: mask)
        let take = Take(scene: .idle, framesPerSecond: 30, seconds: seconds, audio: false, size: Self.size)
        let recorders: [(name: String, executable: String, arguments: (String) -> [String])] = [
            ("Kinecast", try Tool.sibling("kinecast"), { kinecast($0, camera) }),
            ("ffmpeg", try Tool.path(of: "ffmpeg"), { ffmpeg($0, camera, mask, display: laboratory.displayName) }),
        ]
        var outcomes: [[Outcome]] = [[], []]
        for round in 0..<runs {
            for index in round % 2 == 0 ? [0, 1] : [1, 0] {
                let output = folder.file("take.mp4")
                unlink(output)
                let recorder = recorders[index]
                var outcome = try laboratory.observe(
                    take, named: recorder.name, recorder.executable, recorder.arguments(output))
                var status = stat()
                if stat(output, &status) == 0 { outcome.bytes = Int(status.st_size) }
                outcomes[index].append(outcome)
            }
            BroadcastCommand.complain(
                "\(round + 1): " + outcomes.map { "\(fixed($0[round].seconds, 3)) s" }.joined(separator: ", "))
        }
        let ratio = median(zip(outcomes[0], outcomes[1]).map { $0.seconds / $1.seconds })
        print(Machine.description(packages: ["xvfb", "libx264-164", "ffmpeg"]))
        print("\n| recorder | CPU s | + X server s | CPU % | peak MiB | bytes |\n|---|--:|--:|--:|--:|--:|")
        for (recorder, outcomes) in zip(recorders, outcomes) {
            func middle(_ value: (Outcome) -> Double) -> Double { median(outcomes.map(value)) }
            print(
                Tables.row([
                    recorder.name, fixed(middle { $0.cost.processorSeconds }, 3),
                    fixed(middle { $0.displaySeconds }, 3),
                    fixed(middle { $0.seconds / $0.cost.elapsedSeconds * 100 }, 1),
                    Tables.mebibytes(Int(middle { Double($0.cost.peakResidentBytes) })),
                    fixed(middle { Double($0.bytes) }, 0),
                ]))
        }
        let isKept = ratio <= Self.costLimit
        print(
            "\nCPU \(fixed(ratio, 3)) × ffmpeg, at most \(fixed(Self.costLimit, 2)): \(isKept ? "pass" : "**miss**")")
    }

    private func kinecast(_ output: String, _ camera: String) -> [String] {
        [
            "record", output, "--fps", "30", "--audio", "none", "--duration", "\(fixed(seconds, 1))s", "--camera",
            camera,
            "--camera-shape", "circle",
        ]
    }

    private func ffmpeg(_ output: String, _ camera: String, _ mask: String, display: String) -> [String] {
        let circle = "crop=480:480,scale=\(Self.side):\(Self.side),format=yuva420p"
        let place = "overlay=W-w-\(Self.margin):H-h-\(Self.margin)"
        return [
            "-v", "error", "-nostdin", "-f", "x11grab", "-framerate", "30", "-video_size",
            "\(Self.size.width)x\(Self.size.height)", "-draw_mouse", "1", "-t", fixed(seconds, 1), "-i", display, "-re",
            "-stream_loop", "-1", "-i", camera, "-i", mask, "-filter_complex",
            "[0:v]scale=out_color_matrix=bt709:out_range=tv,format=yuv420p[screen];[1:v]\(circle)[square];"
                + "[2:v]format=gray,loop=loop=-1:size=1[mask];[square][mask]alphamerge[camera];"
                + "[screen][camera]\(place):shortest=1[out]",
            "-map", "[out]", "-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-bf", "0", "-g", "300",
            "-t", fixed(seconds, 1), output,
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
