// Checks a take's configuration. It comes from another process: no number in it may crash the engine.
import KineText

extension TakeConfiguration {
    /// An error in a configuration.
    public enum Problem: Error, Equatable, Sendable, CustomStringConvertible {
        /// The value is not allowed. `setting` and `allowed` are parts of a sentence.
        case outOfRange(setting: String, value: String, allowed: String)
        /// The file's path is not absolute, or has a NUL.
        case unusablePath(String)
        /// The colour format is only for recordings, but there are destinations, or neither a file nor clips.
        case colourOfRecordings

        public var description: String {
            switch self {
            case .outOfRange(let setting, let value, let allowed):
                "The \(setting) \(value.printable(limit: 100)) is out of range; give \(allowed)."
            case .colourOfRecordings:
                "Full range and 4:4:4 are for recordings alone, since most destinations show them wrong or not at all; "
                    + "leave them out of a broadcast."
            case .unusablePath(let path):
                "The file's path \(path.printable(limit: 200)) is not an absolute one; give one that begins with a slash."
            }
        }
    }

    /// The coordinates of an X screen have 16 bits.
    private static let coordinates = -32768...32767
    /// The most extensions of one take: each is a process.
    private static let mostDestinations = 64
    /// Limited because each window's properties are compared with each rule.
    private static let mostExclusions = 64
    /// The longest time: no file system here holds a take of a year, and nanoseconds do not overflow.
    private static let longest = MediaTime.seconds(366 * 86400)

    /// Throws the first problem.
    public func validate() throws(Problem) {
        try Self.check(source)
        try validateVideo()
        try Self.check("audio sample rate", audio.sampleRate, in: 8000...96000)
        try Self.check("number of audio channels", audio.channels, in: 1...2)
        try Self.check("audio bitrate", audio.bitrate, in: 8000...512_000)
        if let file, !file.hasPrefix("/") || file.utf8.contains(0) { throw .unusablePath(file) }
        try Self.check("number of destinations", destinations.count, in: 0...Self.mostDestinations)
        if video.colour != .standard, !destinations.isEmpty || !keepsSamples { throw .colourOfRecordings }
        try Self.check("time for a start", supervision.start)
        try Self.check("time without a heartbeat", supervision.heartbeat)
        try Self.check("time for holding a sample", supervision.held)
        try Self.check("delay of a restart", supervision.restartDelay)
        try Self.check("number of sample requests", expectedSamples.count, in: 0...Self.mostDestinations)
        for request in expectedSamples { try Self.check(request) }
        if let durationLimit { try Self.check("length of the take", durationLimit) }
        if let clipBuffer { try Self.checkClipBuffer(clipBuffer) }
        if let split { try Self.check(split) }
        if let app {
            // They are shown to the person and kept, so they have the limits of `kinecast-app.json`.
            try Self.check("length of the app's identifier", app.identifier.utf8.count, in: 1...100)
            try Self.check("length of the app's name", app.name?.utf8.count ?? 0, in: 0...1000)
            try Self.check("length of the app's icon", app.icon?.utf8.count ?? 0, in: 0...4000)
        }
    }

    /// Throws the problem of a source, if any.
    public static func check(_ source: Source) throws(Problem) {
        switch source {
        case .screen, .drawnRegion, .window, .focusedWindow, .chosenWindow: break
        case .windowTitled(let title): try check("length of the window's title", title.utf8.count, in: 1...1000)
        case .application(let name, _): try check("length of the application's name", name.utf8.count, in: 1...1000)
        case .commandWindow(let window):
            if let named = window.named { try check(named) }
            if let size = window.privateScreen { try check("frame size", size) }
            try check("time for the window to come", window.limit)
        case .virtual(let size), .virtualWayland(let size), .pattern(let size): try check("frame size", size)
        case .region(let rect):
            try check("region's left edge", rect.x, in: coordinates)
            try check("region's upper edge", rect.y, in: coordinates)
            try check("region's size", rect.size)
        }
    }

    private func validateVideo() throws(Problem) {
        try Self.check("frame rate", video.framesPerSecond, in: 1...240)
        try Self.check("time between keyframes", video.keyframeInterval)
        if let frames = video.keyframeFrames {
            try Self.check("number of frames between keyframes", frames, in: 1...1 << 20)
        }
        switch video.rateControl {
        case .constantQuality(let quality): try Self.check("quality", quality, in: 0...51)
        case .averageBitrate(let bits): try Self.check("bitrate", bits, in: 1000...1_000_000_000)
        case .bitsPerSecondPerPixel(let bits):
            guard bits > 0, bits <= 100 else {
                throw .outOfRange(
                    setting: "bitrate for each pixel", value: "\(bits)", allowed: "more than 0, up to 100")
            }
        }
        try Self.check("number of excluded windows", video.excludedWindows.count, in: 0...Self.mostExclusions)
        for case .titled(let text) in video.excludedWindows {
            try Self.check("length of an excluded window's title", text.utf8.count, in: 1...1000)
        }
        for case .application(let name) in video.excludedWindows {
            try Self.check("length of an excluded application's name", name.utf8.count, in: 1...1000)
        }
        for case .process(let process) in video.excludedWindows {
            try Self.check("number of an excluded process", Int(process), in: 1...Int(Int32.max))
        }
        if let camera = video.camera { try Self.check(camera) }
        try Self.check(cursorScale: video.cursorScale)
        if case .part(let rect) = video.crop { try Self.check(crop: rect) }
        if let size = video.size { try Self.check(evenSize: "frame size", size) }
    }

    /// Throws the problem of a camera's settings, if any.
    public static func check(_ camera: Camera) throws(Problem) {
        try check("length of the camera's name", camera.device.utf8.count, in: 1...4000)
        guard !camera.device.utf8.contains(0) else { throw .unusablePath(camera.device) }
        guard camera.layout.isValid else {
            throw .outOfRange(
                setting: "camera's place", value: "\(camera.layout.x),\(camera.layout.y), size \(camera.layout.size)",
                allowed: "a place from 0 to 1, a size from 0.02 to 1 and a border up to 0.5")
        }
    }

    /// Throws if the pointer cannot be enlarged by this factor.
    public static func check(cursorScale factor: Double) throws(Problem) {
        guard !(1...8).contains(factor) else { return }
        throw .outOfRange(setting: "cursor scale", value: "\(factor)", allowed: "a number from 1 to 8")
    }

    private static func check(crop rect: PixelRect) throws(Problem) {
        try check("crop's left edge", rect.x, in: 0...32767)
        try check("crop's upper edge", rect.y, in: 0...32767)
        try check("crop's size", rect.size)
    }

    private static func check(evenSize setting: String, _ size: PixelSize) throws(Problem) {
        try check(setting, size)
        guard size != size.roundedUpToEven else { return }
        throw .outOfRange(setting: setting, value: "\(size.width)x\(size.height)", allowed: "one with even sides")
    }

    /// Throws if the length of a clip buffer is not allowed.
    public static func checkClipBuffer(_ length: MediaTime) throws(Problem) {
        guard length <= .zero || length > longestClipBuffer else { return }
        throw .outOfRange(
            setting: "length of the clip buffer", value: "\(length.seconds) s", allowed: "more than 0, up to 30 minutes"
        )
    }

    /// Throws if the files of a split recording would be too small, or too long for the clock.
    public static func check(_ split: SplitLimit) throws(Problem) {
        switch split {
        case .duration(let time) where time < .seconds(5) || time > longest:
            throw .outOfRange(
                setting: "length of each file", value: "\(time.seconds) s", allowed: "5 seconds to 366 days")
        case .bytes(let bytes) where bytes < 5_000_000:
            throw .outOfRange(setting: "size of each file", value: "\(bytes) bytes", allowed: "5 MB or more")
        case .duration, .bytes: break
        }
    }

    /// Throws the problem of a client's request for samples, if any.
    public static func check(_ request: SampleRequest) throws(Problem) {
        switch request.video {
        case .raw(_, let size, let framesPerSecond, let shape, let orientation):
            if let size { try check("size of the samples", size) }
            if case .part(let rect) = shape?.crop { try check(crop: rect) }
            if let size = shape?.size { try check(evenSize: "size of the samples", size) }
            if let framesPerSecond { try check("frame rate of the samples", framesPerSecond, in: 1...240) }
            if orientation == .source, let turn = shape?.orientation, turn != .up {
                throw .outOfRange(
                    setting: "orientation of the samples", value: "the source's, and \(turn.rawValue)",
                    allowed: "one of the two")
            }
        case .camera(let size): try check(evenSize: "size of the camera's frames", size)
        case .encoded(_, let interval?, _):
            guard (0.1...60).contains(interval) else {
                throw .outOfRange(
                    setting: "keyframe interval of the samples", value: "\(interval) s", allowed: "0.1 to 60 seconds")
            }
        case .encoded(_, nil, _), nil: break
        }
    }

    private static func check(_ setting: String, _ value: Int, in range: ClosedRange<Int>) throws(Problem) {
        guard !range.contains(value) else { return }
        throw .outOfRange(
            setting: setting, value: "\(value)", allowed: "a number from \(range.lowerBound) to \(range.upperBound)")
    }

    private static func check(_ setting: String, _ size: PixelSize) throws(Problem) {
        let sides = VideoCodec.frameSides
        guard !sides.contains(size.width) || !sides.contains(size.height) else { return }
        throw .outOfRange(
            setting: setting, value: "\(size.width)x\(size.height)",
            allowed: "sides from \(sides.lowerBound) to \(sides.upperBound)")
    }

    private static func check(_ setting: String, _ time: MediaTime) throws(Problem) {
        guard time <= .zero || time > longest else { return }
        throw .outOfRange(setting: setting, value: "\(time.seconds) s", allowed: "more than 0, up to 366 days")
    }

    private static func check(_ setting: String, _ seconds: Double) throws(Problem) {
        guard !(0...86400).contains(seconds) else { return }
        throw .outOfRange(setting: setting, value: "\(seconds) s", allowed: "up to a day")
    }
}
