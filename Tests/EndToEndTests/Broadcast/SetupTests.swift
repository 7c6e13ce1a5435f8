// A service's setup program asks at the terminal of `kinecast broadcast`.
import Glibc
import KineMeasure
import KinePlatform
import ProcessTesting
import SystemPackage
import Testing

@Suite(.tags(.real, .programs)) struct SetupTests {
    private static let arguments = [
        "broadcast", "--service", "guided", "--pattern", "320x240", "--duration", "2", "--json",
    ]

    private func install(in place: TestPlace, mode: String = "good") throws {
        try place.makeDirectory("guided.kinext")
        for (program, name) in [("kinecast-witness", "witness"), ("kinecast-setup-fixture", "setup")] {
            _ = try Tool.output("cp", [RunningKinecast.sibling(program), place.path("guided.kinext/\(name)")])
        }
        try place.write(
            """
            {"kinecast": 2, "id": "guided", "name": "Guided", "executable": "witness", "setupProgram": "setup",
             "video": {"encoded": {"codec": "h264", "keyframeInterval": 2}}, "setup": [
               {"key": "key", "title": "Key", "type": "secret", "required": true}, {"key": "count", "title": "Count"},
               {"key": "cert", "title": "Certificate", "file": true}]}
            """, to: "guided.kinext/manifest.json")
        try place.write(mode, to: "guided.kinext/mode")
        let installed = try place.run("services", "install", "guided.kinext")
        try #require(installed.status == 0, "\(installed)")
    }

    /// `program` starts kinecast with another terminal than this process's, or without one.
    private func start(
        _ place: TestPlace, _ program: String, _ arguments: [String], input: FileDescriptor? = nil
    ) throws -> RunningKinecast {
        try RunningKinecast(
            arguments: arguments, environment: place.environment, directory: place.directory, input: input,
            executable: program)
    }

    @Test func `what is typed reaches the extension, and the secret is not shown`() throws {
        try TestPlace.with { place in
            try install(in: place)
            let command = ([RunningKinecast.executable.string] + Self.arguments).joined(separator: " ")
            let input = try FileDescriptor.pipe()
            let take = try start(place, "/usr/bin/script", ["-qec", command, "/dev/null"], input: input.readEnd)
            try input.readEnd.close()
            try take.words("Where is the key?", onOutput: true)
            try take.words("Key [not shown]: ", onOutput: true)
            try input.writeEnd.writeAll("w_hush-hush\n".utf8)
            try take.words("Count", onOutput: true)
            try input.writeEnd.writeAll("3\n".utf8)
            let ended = try take.wait()
            try input.writeEnd.close()
            #expect(ended.status == 0, "\(ended)")
            #expect(ended.output.contains("started with count=3 key=…"), "\(ended)")
            #expect(!ended.output.contains("hush-hush"), "\(ended)")
        }
    }

    @Test func `while it asks, the other destinations' secrets are hidden, and an interrupt ends it`() throws {
        try TestPlace.with { place in
            try install(in: place)
            let command =
                "STREAM=rtmp://127.0.0.1:9/app/hush-hush exec \(RunningKinecast.executable) broadcast --service rtmp --to env:STREAM "
                + "--service guided --pattern 320x240"
            let input = try FileDescriptor.pipe()
            let take = try start(place, "/usr/bin/script", ["-qec", command, "/dev/null"], input: input.readEnd)
            try input.readEnd.close()
            try take.words("Key [not shown]: ", onOutput: true)
            let asking = place.environments().filter { $0.contains("STREAM=") }
            // No ordinary user reads the environment of a program that has had a secret.
            #expect(asking.count == (getuid() == 0 ? 1 : 0) && asking.allSatisfy { !$0.contains("hush") }, "\(asking)")
            try input.writeEnd.writeAll([3])
            let ended = try take.wait()
            try input.writeEnd.close()
            #expect(ended.status == ExitStatus.noPermission, "\(ended)")
            #expect(ended.output.contains("cancelled by the person at the terminal"), "\(ended)")
        }
    }

    @Test func `a setup program that names a file of the person's by itself is refused, and nothing begins`() throws {
        try TestPlace.with { place in
            try install(in: place, mode: "steal")
            let command = ([RunningKinecast.executable.string] + Self.arguments).joined(separator: " ")
            let ended = try start(place, "/usr/bin/script", ["-qec", command, "/dev/null"]).wait()
            #expect(ended.status == ExitStatus.unavailable, "\(ended)")
            #expect(ended.output.contains("returned a value of its own for cert"), "\(ended)")
        }
    }

    /// A bundle without a setup program, which asks for a right of each kind.
    private func bundle(_ place: TestPlace, reading path: String) throws {
        _ = try Tool.output("mkdir", ["-p", place.path("greedy.kinext")])
        try place.write(
            """
            {"kinecast": 2, "id": "greedy", "name": "Greedy", "executable": "run", "read": ["\(path)"],
             "groups": ["org.example.group"], "environment": ["HTTPS_PROXY"]}
            """, to: "greedy.kinext/manifest.json")
        try place.write("#!/bin/sh\n", to: "greedy.kinext/run", permissions: .ownerReadWriteExecute)
    }

    @Test func `a bundle that asks for more than usual is installed after a yes at the terminal`() throws {
        try TestPlace.with { place in
            try place.makeDirectory("Documents")
            try #require(symlink("Documents", place.path("link")) == 0)
            try bundle(place, reading: place.path("link"))
            let installing = "\(RunningKinecast.executable) services install greedy.kinext"
            let input = try FileDescriptor.pipe()
            let refusing = try start(place, "/usr/bin/script", ["-qec", installing, "/dev/null"], input: input.readEnd)
            try refusing.words("Install it with these rights? [y/N] ", onOutput: true)
            try input.writeEnd.writeAll("\n".utf8)
            let refused = try refusing.wait()
            #expect(refused.status == ExitStatus.noPermission)
            for words in [
                "connect to other machines", "\(place.path("link")), which leads to \(place.path("Documents"))",
                "the group org.example.group", "your environment variable HTTPS_PROXY",
            ] { #expect(refused.output.contains(words), "\(refused)") }
            #expect(try !place.run("services").output.contains("greedy"))
            let again = try start(place, "/usr/bin/script", ["-qec", installing, "/dev/null"], input: input.readEnd)
            try again.words("Install it with these rights? [y/N] ", onOutput: true)
            try input.writeEnd.writeAll("y\n".utf8)
            #expect(try again.wait().status == 0)
            try input.readEnd.close()
            try input.writeEnd.close()
            let listed = try place.run("services").output
            #expect(listed.contains("  read and execute \(place.path("link")), which leads to"), "\(listed)")
            let json = try place.run("services", "--json").output
            #expect(
                json.contains(#""environment":["HTTPS_PROXY"]"#) && json.contains(#""groups":["org.example.group"]"#))
        }
    }

    @Test func `without a terminal it is installed with --yes only, and never where it reads all of the home`() throws {
        try TestPlace.with { place in
            try bundle(place, reading: "/usr/share/zoneinfo")
            let install = ["-w", RunningKinecast.executable.string, "services", "install", "greedy.kinext"]
            let refused = try start(place, "/usr/bin/setsid", install).wait()
            #expect(refused.status == ExitStatus.noPermission, "\(refused)")
            #expect(refused.errors.contains("there is no terminal to agree at; install it at one, or with --yes."))
            #expect(refused.errors.contains("read and execute /usr/share/zoneinfo"), "\(refused)")
            #expect(try start(place, "/usr/bin/setsid", install + ["--yes"]).wait().status == 0)
            // An update that asks for nothing new needs no answer.
            #expect(try start(place, "/usr/bin/setsid", install).wait().status == 0)
            _ = try Tool.output("cp", ["-r", place.path("greedy.kinext"), place.path("other.kinext")])
            let other = install.dropLast() + ["other.kinext"]
            let foreign = try start(place, "/usr/bin/setsid", Array(other)).wait()
            #expect(
                foreign.status == ExitStatus.noPermission && foreign.errors.contains("would replace what has its id"))
            #expect(foreign.errors.contains("from other.kinext replaces Greedy (greedy) from"), "\(foreign)")
            #expect(try start(place, "/usr/bin/setsid", other + ["--yes"]).wait().status == 0)
            try bundle(place, reading: place.directory.string)
            let never = try start(place, "/usr/bin/setsid", install + ["--yes"]).wait()
            #expect(never.status == ExitStatus.usage && never.errors.contains("which no service may read"), "\(never)")
        }
    }

    @Test func `without a terminal it says how to give the settings, and --set asks nobody`() throws {
        try TestPlace.with { place in
            try install(in: place)
            let command = ["-w", RunningKinecast.executable.string] + Self.arguments
            let refused = try start(place, "/usr/bin/setsid", command).wait()
            #expect(refused.status == ExitStatus.unavailable, "\(refused)")
            #expect(refused.errors.contains("give them with --set KEY=VALUE."), "\(refused)")
            let given = try start(place, "/usr/bin/setsid", command + ["--set", "key=w_given"]).wait()
            #expect(given.status == 0 && given.events.contains { $0.state?.contains("key=") == true }, "\(given)")
        }
    }
}
