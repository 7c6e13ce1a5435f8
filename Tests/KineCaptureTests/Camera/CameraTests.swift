// Cameras by name, and frames of what stands in for one: a generated picture and files.
import CoreTesting
import Glibc
import KineMedia
import KinePlatform
import ProcessTesting
import SystemPackage
import Testing

@testable import KineCapture

@Suite(.tags(.real)) struct CameraTests {
    private static let cameras = [
        SourceList.Camera(name: "HD Webcam", path: "/dev/video0"), SourceList.Camera(name: "USB", path: "/dev/video2"),
    ]

    @Test func `a camera is the first one, or the one of that name or path`() throws {
        #expect(try CameraInput(named: "default", among: Self.cameras) == .device("/dev/video0"))
        #expect(try CameraInput(named: "usb", among: Self.cameras) == .device("/dev/video2"))
        #expect(try CameraInput(named: "/dev/video2", among: Self.cameras) == .device("/dev/video2"))
        #expect(try CameraInput(named: "pattern", among: []) == .pattern)
        #expect(try CameraInput(named: "/etc/passwd", among: []) == .file("/etc/passwd"))
    }

    @Test func `a camera that does not exist is an error that names those that do`() {
        #expect(throws: VideoSourceError.noCamera(nil, existing: [])) { try CameraInput(named: "default", among: []) }
        #expect(throws: VideoSourceError.noCamera("front", existing: ["HD Webcam", "USB"])) {
            try CameraInput(named: "front", among: Self.cameras)
        }
        #expect(throws: VideoSourceError.noCamera("/dev/video7", existing: ["HD Webcam", "USB"])) {
            try CameraInput(named: "/dev/video7", among: Self.cameras)
        }
        // As by a link to a camera, which would pass for a file.
        #expect(throws: VideoSourceError.noCamera("/proc/../dev/null", existing: [])) {
            try CameraInput(named: "/proc/../dev/null", among: [])
        }
        #expect(throws: VideoSourceError.cameraFileUnreadable("/nowhere/a.mp4", .noSuchFileOrDirectory)) {
            try CameraInput(named: "/nowhere/a.mp4", among: [])
        }
        #expect(throws: VideoSourceError.cameraFileUnreadable("/etc", .isDirectory)) {
            try CameraInput(named: "/etc", among: [])
        }
    }

    @Test func `the kernel's list has each camera once, in the order of their numbers`() throws {
        try TestPlace.with { place in
            func add(_ device: String, _ name: String, index: String) throws {
                let directory = place.path(device)
                #expect(mkdir(directory, 0o700) == 0)
                for (file, text) in [("name", name), ("index", index)] {
                    let descriptor = try FileDescriptor.open(
                        "\(directory)/\(file)", .writeOnly, options: .create, permissions: .ownerReadWrite)
                    try descriptor.closeAfter { _ = try descriptor.writeAll((text + "\n").utf8) }
                }
            }
            try add("video10", "Second: camera", index: "0")
            try add("video2", "HD Webcam", index: "0")
            try add("video3", "HD Webcam", index: "1")
            try add("v4l-subdev0", "sensor", index: "0")
            #expect(
                CameraInventory.cameras(in: place.path(""))
                    == [
                        SourceList.Camera(name: "HD Webcam", path: "/dev/video2"),
                        SourceList.Camera(name: "Second: camera", path: "/dev/video10"),
                    ])
            #expect(CameraInventory.cameras(in: place.path("none")) == [])
        }
    }

    // MARK: Frames

    /// The camera when its first frame is there.
    private func open(_ input: CameraInput, wanted: PixelSize = PixelSize(width: 64, height: 48)) throws -> CameraSource
    {
        let opening = try CameraOpening(input, wanted: wanted)
        let deadline = MonotonicClock.now() + RunningKinecast.timeout
        while MonotonicClock.now() < deadline {
            if let source = try opening.processEvents() { return try #require(source as? CameraSource) }
            _ = WakeSignal.poll([opening.descriptor], until: deadline)
        }
        throw Timeout()
    }

    private struct Timeout: Error {}

    /// The next frame's pixels, 0xRRGGBB.
    private func next(_ source: CameraSource) throws -> [UInt32] {
        let deadline = MonotonicClock.now() + RunningKinecast.timeout
        while try !source.processEvents() {
            guard MonotonicClock.now() < deadline else { throw Timeout() }
            _ = WakeSignal.poll([source.descriptor], until: deadline)
        }
        var damage = DamageRegion(size: source.size)
        try source.addDamage(to: &damage)
        #expect(damage == .full(size: source.size))
        var pixels = [UInt32](repeating: 0, count: source.size.area)
        let width = source.size.width
        #expect(
            try source.read(damage) { part in
                for y in 0..<part.rect.height {
                    let row = (part.pixels + y * part.stride).assumingMemoryBound(to: UInt32.self)
                    for x in 0..<part.rect.width {
                        pixels[(part.rect.y + y) * width + part.rect.x + x] = row[x] & 0xff_ffff
                    }
                }
            })
        return pixels
    }

    @Test func `a generated picture moves`() throws {
        let source = try open(.pattern)
        #expect(source.size == PixelSize(width: 64, height: 48))
        let first = try next(source)
        #expect(Set(first).count > 8)
        var isMoving = false
        for _ in 0..<30 where !isMoving { isMoving = try next(source) != first }
        #expect(isMoving)
    }

    @Test(arguments: [
        ["-pix_fmt", "yuv420p", "-colorspace", "bt709", "-vf", "scale=out_color_matrix=bt709", "a.mp4"],
        ["-c:v", "mjpeg", "-pix_fmt", "yuvj422p", "a.avi"], ["-c:v", "rawvideo", "-pix_fmt", "yuyv422", "a.avi"],
        ["-c:v", "rawvideo", "-pix_fmt", "yuv420p", "a.nut"], ["-c:v", "rawvideo", "-pix_fmt", "nv12", "a.nut"],
        ["-c:v", "rawvideo", "-pix_fmt", "uyvy422", "a.nut"], ["-c:v", "rawvideo", "-pix_fmt", "yuv422p", "a.nut"],
        ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "a.avi"], ["-c:v", "mjpeg", "-pix_fmt", "yuvj444p", "a.avi"],
        ["-frames:v", "1", "a.png"],
    ])
    func `a file is shown in its own colours, again and again`(arguments: [String]) throws {
        try TestPlace.with { place in
            let path = place.path(try #require(arguments.last))
            let process = try ChildProcess(
                executable: "/usr/bin/ffmpeg",
                arguments: ["-v", "error", "-f", "lavfi", "-i", "color=0xc04080:size=66x50:rate=25:duration=0.2"]
                    + arguments.dropLast() + [path], environment: [])
            try #require(process.wait() == .exited(status: 0))
            let source = try open(.file(path))
            #expect(source.size == PixelSize(width: 66, height: 50))
            // The file has five frames at the most.
            for _ in 0..<12 {
                let pixels = try next(source)
                for shift: UInt32 in [0, 8, 16] {
                    let wanted = Int(UInt32(0xc04080) >> shift & 255)
                    let worst = pixels.map { abs(Int($0 >> shift & 255) - wanted) }.max()
                    #expect(try #require(worst) <= 6)
                }
            }
        }
    }

    /// Has ffmpeg make a file in which the top left quarter is 0xc04080 and the rest is black. `options`: a filter, and what follows it.
    private func makeCorner(_ path: String, _ options: [String]) throws {
        let process = try ChildProcess(
            executable: "/usr/bin/ffmpeg",
            arguments: [
                "-v", "error", "-f", "lavfi", "-i", "color=black:size=64x32:rate=25:duration=0.2", "-vf",
                "drawbox=w=32:h=16:color=0xc04080:t=fill" + (options.first.map { "," + $0 } ?? ""),
            ] + options.dropFirst() + ["-y", path], environment: [])
        try #require(process.wait() == .exited(status: 0))
    }

    /// The quarters that are not black: left top, right top, left bottom, right bottom.
    private func quarters(_ source: CameraSource) throws -> [Bool] {
        let (pixels, size) = (try next(source), source.size)
        return [(1, 1), (3, 1), (1, 3), (3, 3)].map { x, y in
            let pixel = pixels[size.height * y / 4 * size.width + size.width * x / 4]
            return (pixel >> 16 & 255) > 100
        }
    }

    @Test(
        arguments: [
            ([1, 0, 0, 1], [true, false, false, false]), ([-1, 0, 0, 1], [false, true, false, false]),
            ([1, 0, 0, -1], [false, false, true, false]), ([-1, 0, 0, -1], [false, false, false, true]),
            ([0, 1, 1, 0], [true, false, false, false]), ([0, 1, -1, 0], [false, true, false, false]),
            ([0, -1, 1, 0], [false, false, true, false]), ([0, -1, -1, 0], [false, false, false, true]),
        ] as [([Int32], [Bool])])
    func `a file is shown upright, as its display matrix says`(matrix: [Int32], lit: [Bool]) throws {
        try TestPlace.with { place in
            let path = place.path("a.mp4")
            try makeCorner(path, ["null"])
            // ISO/IEC 14496-12, 8.3.2: the matrix of version 0 is 40 bytes behind the box's type.
            let file = try FileDescriptor.open(path, .readWrite)
            try file.closeAfter {
                let bytes = try file.readToEnd(atMost: 1 << 20)
                let type = try #require(
                    bytes.indices.first { bytes[$0...].starts(with: "tkhd".utf8) && bytes[$0 + 4] == 0 })
                let numbers = [matrix[0], matrix[1], 0, matrix[2], matrix[3]].map { $0 << 16 }
                let words = numbers.flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
                _ = try file.writeAll(toAbsoluteOffset: Int64(type + 44), words)
            }
            let source = try open(.file(path))
            let isTransposed = matrix[0] == 0
            #expect(source.size == PixelSize(width: isTransposed ? 32 : 64, height: isTransposed ? 64 : 32))
            #expect(try quarters(source) == lit)
        }
    }

    @Test func `a file's pixels are as wide as it says`() throws {
        try TestPlace.with { place in
            for (ratio, width) in [("2/1", 128), ("1/2", 32), ("16/15", 68)] {
                let path = place.path("a.mp4")
                try makeCorner(path, ["setsar=\(ratio)"])
                let source = try open(.file(path))
                #expect(source.size == PixelSize(width: width, height: 32))
                #expect(try quarters(source) == [true, false, false, false])
            }
        }
    }

    /// The error with which a file's camera ends.
    private func failure(of path: String) throws -> VideoSourceError? {
        let opening = try CameraOpening(.file(path), wanted: PixelSize(width: 64, height: 48))
        let deadline = MonotonicClock.now() + RunningKinecast.timeout
        return #expect(throws: VideoSourceError.self) {
            while try opening.processEvents() == nil {
                guard MonotonicClock.now() < deadline else { throw Timeout() }
                _ = WakeSignal.poll([opening.descriptor], until: deadline)
            }
        }
    }

    @Test func `a file without video is an error, and so is an empty one`() throws {
        try TestPlace.with { place in
            let path = place.path("text.mp4")
            let descriptor = try FileDescriptor.open(
                path, .writeOnly, options: .create, permissions: .ownerReadWrite)
            try descriptor.closeAfter {
                #expect(throws: VideoSourceError.cameraFileEmpty(path)) { try CameraInput(named: path, among: []) }
                _ = try descriptor.writeAll("no film".utf8)
            }
            let sentence = try failure(of: path)?.sentence ?? ""
            #expect(sentence.hasPrefix("The file \(path), ") && sentence.contains("gives no picture ("), "\(sentence)")
        }
    }

    @Test func `a FIFO is a camera while a program writes into it, and an error before`() throws {
        try TestPlace.with { place in
            let path = place.path("film")
            #expect(mkfifo(path, 0o600) == 0)
            #expect(try CameraInput(named: path, among: []) == .file(path))
            #expect(try failure(of: path) == .cameraPipeUnwritten(path))
            try makeCorner(place.path("a.nut"), ["loop=9:5", "-c:v", "mjpeg"])
            let film = try FileDescriptor.open(place.path("a.nut"), .readOnly)
            let bytes = try film.closeAfter { try film.readToEnd(atMost: 60000) }
            let writer = try FileDescriptor.open(path, .readWrite)
            try writer.closeAfter {
                _ = try writer.writeAll(bytes)
                let source = try open(.file(path))
                #expect(try quarters(source) == [true, false, false, false])
            }
        }
    }

    // MARK: The time of a file

    @Test func `frames of a file are due at their own times, and a file that begins again goes on at its rate`() {
        var pace = CameraPace()
        let second: Int64 = 1_000_000_000
        #expect(pace.instant(of: 5 * second, now: 100) == 100)
        #expect(pace.instant(of: 6 * second, now: 200) == 100 + second)
        // Late frames are due in the past, and the next ones catch up.
        #expect(pace.instant(of: 6 * second + second / 2, now: 2 * second) == 100 + second + second / 2)
        pace.restart()
        let again = pace.instant(of: 5 * second, now: 100 + second)
        #expect(again == 100 + second + second / 2 + 33_333_333)
        #expect(pace.instant(of: 5 * second + 10, now: again) == again + 10)
    }

    @Test func `times that leap and a machine that slept begin anew`() {
        var pace = CameraPace()
        let second: Int64 = 1_000_000_000
        #expect(pace.instant(of: 0, now: 0) == 0)
        #expect(pace.instant(of: 60 * second, now: second) == second)
        #expect(pace.instant(of: 61 * second, now: second) == 2 * second)
        #expect(pace.instant(of: 62 * second, now: 100 * second) == 100 * second)
        #expect(pace.instant(of: nil, now: 100 * second) == 100 * second + 33_333_333)
    }
}
