// Programs that judge a finished file: ffprobe, ffmpeg and mediainfo, and a browser that plays it to its end.
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

package enum Players {
    /// A finished file must be read and decoded without a word.
    package static func accept(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        for command in [
            ["ffprobe", "-v", "warning", "-show_streams", "-of", "default=nk=1", path],
            // In the file's own units of time: ffmpeg counts in frames of a rate it guesses, of which two frames may fall
            // into one.
            [
                "ffmpeg", "-v", "warning", "-nostdin", "-xerror", "-i", path, "-map", "0", "-enc_time_base:v",
                "1:90000", "-f", "null", "-",
            ],
        ] {
            // Both streams of the shell's command come back: a complaint on either is one too many.
            let said = try complaints(command)
            #expect(said == "", "\(command[0])", sourceLocation: sourceLocation)
        }
        let report = try Tool.output(
            "mediainfo", ["--Output=General;%Format%|%VideoCount%|%IsTruncated%|%Errors%", path])
        #expect(report.hasPrefix("MPEG-4|1|"), sourceLocation: sourceLocation)
        #expect(
            !report.contains("Yes") && !report.contains("rror"), "mediainfo: \(report)", sourceLocation: sourceLocation)
    }

    /// What a command prints on standard error, but for FFmpeg's lines about the input track, which it does not know
    /// (docs/input-track.md).
    package static func complaints(_ command: [String]) throws -> String {
        let said = try Tool.output("sh", ["-c", "exec \"$@\" 2>&1 >/dev/null", "sh"] + command)
        let expected: [any RegexComponent<Substring>] = [
            #/Unsupported codec with id 0 for input stream \d\n/#,
            #/\[concat @ \w+\] Could not find codec parameters for stream \d \(Unknown: none\): unknown codec\nConsider increasing .*\n/#,
        ]
        return expected.reduce(said) { $0.replacing($1, with: "") }
    }

    /// What a browser says of a file that it has played.
    package struct Played {
        package var width = 0
        package var height = 0
        /// Seconds.
        package var duration = 0.0
        /// Where it stopped, in seconds.
        package var position = 0.0
        /// `ended`, or what went wrong.
        package var result = ""
    }

    /// Has Chromium play the file at four times its speed and waits for its end.
    package static func play(_ path: String, in place: TestPlace) throws -> Played {
        let page = """
            <video muted autoplay src="file://\(path)"></video><script>
            const v = document.querySelector("video");
            const tell = r => console.log(["played", v.videoWidth, v.videoHeight, v.duration, v.currentTime, r, ""].join("|"));
            v.playbackRate = 4;
            v.onended = () => tell("ended");
            v.onerror = () => tell("error " + v.error.code + " " + v.error.message);
            </script>
            """
        try place.write(page, to: "page.html")
        let (browser, output) = try startBrowser(in: place)
        defer {
            browser.signalGroup(SIGKILL)
            _ = browser.wait()
            try? output.close()
        }
        let deadline = MonotonicClock.now() + RunningKinecast.timeout
        var text = ""
        var chunk = [UInt8](repeating: 0, count: 4096)
        while WakeSignal.poll([output.rawValue], until: deadline)[0] {
            let count = try chunk.withUnsafeMutableBytes { try output.read(into: $0) }
            if count == 0 { break }
            text += String(decoding: chunk[..<count], as: UTF8.self)
            for line in text.split(separator: "\n") where line.contains("\"played|") {
                let fields = line.split(separator: "|", omittingEmptySubsequences: false)
                guard fields.count >= 7 else { continue }
                return Played(
                    width: Int(fields[1]) ?? 0, height: Int(fields[2]) ?? 0, duration: Double(fields[3]) ?? 0,
                    position: Double(fields[4]) ?? 0, result: String(fields[5]))
            }
        }
        return Played(result: "no answer from the browser: \(text.suffix(500))")
    }

    /// Starts a browser, with a group of its own, that opens `page.html` and prints what the page says.
    private static func startBrowser(in place: TestPlace) throws -> (ChildProcess, output: FileDescriptor) {
        let pipe = try FileDescriptor.pipe()
        defer { try? pipe.writeEnd.close() }
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, pipe.writeEnd]
        options.newProcessGroup = true
        let browser = try ChildProcess(
            executable: try Tool.path(of: "chromium"),
            arguments: [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr",
                "--no-first-run", "--autoplay-policy=no-user-gesture-required",
                "--user-data-dir=\(place.path("browser"))", "file://\(place.path("page.html"))",
            ], environment: place.environment, options: options)
        return (browser, pipe.readEnd)
    }
}
