// Addresses that are not typed: from the user's file of destinations, from a file, from a variable.
import Glibc
import KineChoices
import KineMeasure
import KineMedia
import KinePlatform
import KineProgram
import KineServices
import KineText
import KineWire
import SystemPackage
import Testing

@Suite struct DestinationSourceTests {
    /// A directory of the test's own, with what is to be read.
    private final class Place {
        private let folder: TemporaryDirectory
        var directory: FilePath { FilePath(folder.path) }

        init() throws {
            folder = try TemporaryDirectory()
            try #require(mkdir(folder.file("kinecast"), 0o700) == 0)
        }

        func write(_ text: String, to name: String, mode: mode_t = 0o600) throws {
            try folder.write(text.utf8, to: name, permissions: FilePermissions(rawValue: mode))
        }

        func reader(input: String = "") -> DestinationReader {
            let directory = directory
            return DestinationReader(
                environment: { ["XDG_CONFIG_HOME": directory.string, "KEYED": "rtmp://v/app/hush\r\n"][$0] },
                path: { directory.pushing(FilePath($0)) }, standardInput: { input })
        }

        func addresses(_ typed: [String] = [], files: [String] = [], input: String = "") throws -> [String] {
            try reader(input: input).addresses(typed.map { try #require(DestinationSource($0)) }, files: files).map(
                \.text)
        }

        func failure(_ typed: [String] = [], files: [String] = []) -> CommandFailure? {
            let error = #expect(throws: CommandFailure.self) { try addresses(typed, files: files) }
            #expect(error?.message.contains("hush") == false)
            return error
        }
    }

    @Test func `names are looked up, files are read line by line, and the order is that of the options`() throws {
        let place = try Place()
        try place.write(
            "# mine\n\n youtube\trtmps://y/live2/hush \r\ntwitch   rtmp://t/app/hush?a=b#c\n",
            to: "kinecast/destinations")
        try place.write("rtmp://f/app/hush1\n#rtmp://no/app/hush\n\n  rtmp://f/app/hush2", to: "list")
        #expect(
            try place.addresses(
                ["@twitch", "rtmp://d/app/hush", "env:KEYED", "@youtube"], files: ["-", "list"],
                input: "\nrtmp://i/app/hush\n") == [
                    "rtmp://t/app/hush?a=b#c", "rtmp://d/app/hush", "rtmp://v/app/hush", "rtmps://y/live2/hush",
                    "rtmp://i/app/hush", "rtmp://f/app/hush1", "rtmp://f/app/hush2",
                ])
    }

    @Test func `a byte order mark and blanks at the ends belong to no address`() throws {
        let place = try Place()
        try place.write("\u{FEFF}a rtmp://a/b/hush\r\n", to: "kinecast/destinations")
        try place.write("\u{FEFF}rtmp://f/app/hush\r\n", to: "list")
        #expect(try place.addresses(["@a\n"], files: ["list"]) == ["rtmp://a/b/hush", "rtmp://f/app/hush"])
        #expect(try place.addresses([" rtmp://t/app/hush\r"]) == ["rtmp://t/app/hush"])
        let value = place.directory.appending("list").string
        #expect(try Setting("url=@\(value)")?.value() == "rtmp://f/app/hush")
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o620, 0o602, 0o644, 0o777] as [mode_t])
    func `a file that others may read or write is refused with what to do`(mode: mode_t) throws {
        let place = try Place()
        try place.write("a rtmp://a/b/hush", to: "kinecast/destinations", mode: mode)
        try place.write("rtmp://a/b/hush", to: "list", mode: mode)
        for failure in [place.failure(["@a"]), place.failure(files: ["list"])] {
            #expect(failure?.status == ExitStatus.noPermission)
            #expect(failure?.message.contains("chmod 600 \(place.directory)") == true)
        }
    }

    @Test func `a stream key can be in a file of its own, behind the one address`() throws {
        let place = try Place()
        try place.write("# mine\nhush\n", to: "key")
        try place.write("hu sh", to: "blank")
        try place.write("hush\nhush", to: "two")
        try place.write("hush", to: "open", mode: 0o644)
        func whole(_ addresses: String..., key: String = "key") throws -> String {
            let addresses = try addresses.map { try #require(DestinationAddress($0)) }
            return try place.reader().address(addresses, withKeyIn: key).text
        }
        #expect(try whole("rtmp://a/b") == "rtmp://a/b/hush")
        #expect(try whole("rtmp://a/b/") == "rtmp://a/b/hush")
        for addresses in [[], ["rtmp://a/b", "rtmp://c/d"], ["rtmp://a/b?c"]] {
            #expect(throws: CommandFailure.self) {
                try place.reader().address(addresses.map { try #require(DestinationAddress($0)) }, withKeyIn: "key")
            }
        }
        for key in ["blank", "two", "open", "none"] {
            let error = #expect(throws: CommandFailure.self) { try whole("rtmp://a/b", key: key) }
            #expect(error?.message.contains("--stream-key-file") == true)
            #expect(error?.message.contains("hush") == false)
        }
    }

    @Test func `a file of another user is refused`() throws {
        let place = try Place()
        try place.write("rtmp://a/b/hush", to: "list")
        // Root can give a file away; others know one of root's.
        let isRoot = geteuid() == 0
        if isRoot { try #require(chown(place.directory.appending("list").string, 65534, 65534) == 0) }
        let failure = place.failure(files: [isRoot ? "list" : "/etc/passwd"])
        #expect(failure?.status == ExitStatus.noPermission)
        #expect(failure?.message.contains("another user") == true)
    }

    @Test func `a missing file is named, and a wrong line with its number`() throws {
        let place = try Place()
        #expect(place.failure(["@a"])?.message.contains("There is no file") == true)
        #expect(place.failure(files: ["list"])?.message.contains("not there") == true)
        #expect(place.failure(files: ["kinecast"])?.message.contains("is a directory") == true)
        #expect(place.failure(["env:ABSENT"])?.message.contains("ABSENT") == true)
        try place.write("a rtmp://a/b/hush\nb rtmp://b/b/hush", to: "kinecast/destinations")
        #expect(place.failure(["@c"])?.message.contains("it has a and b") == true)
        try place.write("a rtmp://a/b/hush\na rtmp://b/b/hush", to: "kinecast/destinations")
        #expect(place.failure(["@a"])?.message.contains("Line 2") == true)
        for line in ["rtmp://a/b/hush", "a hush", "a/b rtmp://a/b/hush"] {
            try place.write("# one\n\n\(line)", to: "kinecast/destinations")
            #expect(place.failure(["@a"])?.message.contains("Line 3") == true)
        }
        try place.write("rtmp://a/b/hush\nhush", to: "list")
        #expect(place.failure(files: ["list"])?.message.contains("Line 2") == true)
        try place.write("# hush\n", to: "list")
        #expect(place.failure(files: ["list"])?.message.contains("no address") == true)
        try place.write(String(repeating: "#hush\n", count: 20_000), to: "list")
        #expect(place.failure(files: ["list"])?.message.contains("64 kB") == true)
        #expect(place.failure(files: ["-"])?.status == ExitStatus.usage)
    }
}
