// Running the command-line tools that measuring leans on: found on the search path, read through a pipe.
import CLinux
import Glibc
import KinePlatform
import SystemPackage

public enum Tool {
    public enum Error: Swift.Error, CustomStringConvertible {
        /// No file of that name on the search path.
        case missing(name: String, package: String)
        case failed(name: String, ending: ChildProcess.Ending, complaint: String)
        case system(doing: String, Errno)

        public var description: String {
            switch self {
            case .missing(let name, let package):
                "The program “\(name)” is not installed: apt-get install \(package)."
            case .failed(let name, let ending, let complaint):
                "“\(name)” ended with \(ending): \(complaint.isEmpty ? "it printed no reason." : complaint)"
            case .system(let doing, let errno): "\(doing) failed: \(errno)."
            }
        }
    }

    private static let packages = [
        "ffmpeg": "ffmpeg", "ffprobe": "ffmpeg", "Xvfb": "xvfb", "pulseaudio": "pulseaudio",
        "pactl": "pulseaudio-utils", "parec": "pulseaudio-utils",
        "chromium": "chromium", "chromedriver": "chromium-driver", "firefox-esr": "firefox-esr",
        "WebKitWebDriver": "webkit2gtk-driver", "nginx": "nginx-light", "ip": "iproute2",
        "tc": "iproute2", "nft": "nftables", "nsenter": "util-linux", "unshare": "util-linux",
        "setpriv": "util-linux", "wl-copy": "wl-clipboard", "wl-paste": "wl-clipboard", "dbus-send": "dbus-bin",
        "dbus-run-session": "dbus-daemon",
        "setxkbmap": "x11-xkb-utils",
    ]

    /// The absolute path of `name` on the search path; a name with a slash in it is a path already.
    public static func path(of name: String) throws(Error) -> String {
        if name.contains("/") { return name }
        let search = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        // Users who are not root do not always look where network tools and servers are.
        for folder in (search + ":/usr/sbin:/sbin").split(separator: ":") {
            let candidate = "\(folder)/\(name)"
            if access(candidate, X_OK) == 0 { return candidate }
        }
        throw .missing(name: name, package: packages[name] ?? name)
    }

    /// This package's executable `name`, built beside the one that runs now.
    public static func sibling(_ name: String) throws(Error) -> String {
        let path = try "\(siblings())/\(name)"
        guard access(path, X_OK) == 0 else { throw .missing(name: path, package: "it with `swift build`") }
        return path
    }

    /// Where this package's executables are: beside the one that runs now.
    public static func siblings() throws(Error) -> String {
        guard let own = ExecutableSearch.own else {
            throw .system(doing: "Reading /proc/self/exe", .noSuchFileOrDirectory)
        }
        return FilePath(own).removingLastComponent().string
    }

    /// Runs `name` with this process's environment and gives what it prints to `body` as a descriptor, to be read to its
    /// end. What it complains of goes into the error, thrown where it does not end with status 0.
    public static func read<Result>(
        _ name: String, _ arguments: [String], _ body: (FileDescriptor) throws -> Result
    ) throws -> Result {
        let executable = try path(of: name)
        let complaints = try temporaryFile()
        defer { try? complaints.close() }
        let pipe = try FileDescriptor.pipe()
        // Frames are large: the default of 64 KiB would wake both sides thirty times for each.
        _ = fcntl(pipe.readEnd.rawValue, 1031, 1 << 20)  // F_SETPIPE_SZ; a refusal costs only time
        var options = ChildProcess.Options()
        options.descriptors = [nil, pipe.writeEnd, complaints]
        let child: ChildProcess
        do {
            child = try ChildProcess(
                executable: executable, arguments: arguments, environment: ProcessEnvironment.current, options: options)
        } catch {
            try? pipe.writeEnd.close()
            try? pipe.readEnd.close()
            throw Error.system(doing: "Starting \(name)", error)
        }
        try? pipe.writeEnd.close()
        let result = Swift.Result { try body(pipe.readEnd) }
        // Closed before waiting: a reader that gave up early must not leave the tool writing into a full pipe.
        try? pipe.readEnd.close()
        let ending = child.wait()
        let value = try result.get()
        guard ending == .exited(status: 0) else {
            throw Error.failed(name: name, ending: ending, complaint: text(of: complaints))
        }
        return value
    }

    /// Runs `name` and returns all it prints.
    public static func output(_ name: String, _ arguments: [String]) throws -> String {
        try read(name, arguments) { String(decoding: try readAll($0), as: UTF8.self) }
    }

    /// Reads to the end.
    public static func readAll(_ file: FileDescriptor) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = try chunk.withUnsafeMutableBytes { try file.read(into: $0) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
    }

    /// Only a failure waits for it, so it is long enough for a machine that does much else: nanoseconds.
    package static let timeout: Int64 = 300_000_000_000

    /// The next line, without its end, a byte at a time: what follows is left for others. Nil where none is whole at the end, or
    /// when CLOCK_MONOTONIC reaches `deadline` (nanoseconds; nil waits for ever).
    package static func readLine(_ file: FileDescriptor, until deadline: Int64? = nil) -> String? {
        var line: [UInt8] = []
        while WakeSignal.poll([file.rawValue], until: deadline)[0] {
            var byte: UInt8 = 0
            guard Glibc.read(file.rawValue, &byte, 1) == 1 else { break }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    /// Reads until `buffer` is full; returns fewer bytes only at the end.
    public static func fill(_ buffer: UnsafeMutableRawBufferPointer, from file: FileDescriptor) throws -> Int {
        var filled = 0
        while filled < buffer.count {
            let count = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    /// All that is in a file.
    public static func contents(of path: String) throws -> [UInt8] {
        let file = try FileDescriptor.open(FilePath(path), .readOnly)
        return try file.closeAfter { try readAll(file) }
    }

    /// Makes or replaces a file, with just these permissions.
    public static func write(
        _ bytes: some Sequence<UInt8>, to path: String, permissions: FilePermissions = .ownerReadWrite
    ) throws {
        let file = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
        try file.closeAfter {
            _ = try file.writeAll(bytes)
            guard fchmod(file.rawValue, permissions.rawValue) == 0 else { throw Errno(rawValue: errno) }
        }
    }

    /// A file without a name, which goes with its descriptor.
    public static func temporaryFile() throws(Error) -> FileDescriptor {
        var template = Array("\(TemporaryDirectory.standardParent)/kinecast-XXXXXX".utf8CString)
        let number = mkstemp(&template)
        guard number >= 0 else { throw .system(doing: "Making a temporary file", Errno(rawValue: errno)) }
        unlink(template)
        return FileDescriptor(rawValue: number)
    }

    private static func text(of file: FileDescriptor) -> String {
        guard (try? file.seek(offset: 0, from: .start)) != nil, let bytes = try? readAll(file) else { return "" }
        return String(decoding: bytes.suffix(500), as: UTF8.self)
            .split(separator: "\n").joined(separator: " | ")
    }
}
