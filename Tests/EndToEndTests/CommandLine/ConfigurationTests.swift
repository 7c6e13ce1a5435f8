// kinecast.conf and its variables, as a person uses them.
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct ConfigurationTests {
    private static let file = ".config/kinecast/kinecast.conf"

    private func configure(_ place: TestPlace, _ text: String) throws {
        try place.makeDirectory(".config")
        try place.makeDirectory(".config/kinecast")
        try place.write(text, to: Self.file)
    }

    private func text(_ place: TestPlace) throws -> String {
        String(decoding: try Tool.contents(of: place.path(Self.file)), as: UTF8.self)
    }

    @Test func `a recording uses the file, variables replace it, and options replace both`() throws {
        try TestPlace.with { place in
            try configure(
                place,
                """
                [record]
                pattern = 320x240
                duration = 1
                audio = none
                output = file.mp4
                # A pattern has none.
                show-clicks = true
                camera-at = top
                [record small]
                pattern = 160x120
                """)
            func width(of name: String, _ arguments: [String], _ variables: [String] = []) throws -> Int? {
                let ended = try place.run(["record", "--json"] + arguments, variables)
                #expect(ended.status == 0, "\(ended)")
                let summary = try #require(ended.events.last)
                #expect(summary.output == place.path(name) && (summary.duration ?? 0) < 10)
                return summary.width
            }
            let refused = try place.run("record")
            #expect(refused.status == ExitStatus.usage && refused.output == "")
            #expect(refused.errors.contains("--show-clicks is set by \(place.path(Self.file)):7."), "\(refused)")
            #expect(refused.errors.split(separator: "\n").count == 1)
            #expect(try place.run("config", "unset", "record", "show-clicks").status == 0)
            #expect(try width(of: "file.mp4", []) == 320)
            #expect(try width(of: "a.mp4", ["a.mp4"], ["KINECAST_RECORD_PATTERN=240x180"]) == 240)
            #expect(try width(of: "b.mp4", ["-o", "b.mp4", "--profile", "small"]) == 160)
            let variables = ["KINECAST_RECORD_PATTERN=240x180", "KINECAST_RECORD_OUTPUT=other.mp4"]
            let typed = ["c.mp4", "--pattern", "640x480", "--profile", "small"]
            #expect(try width(of: "c.mp4", typed, variables) == 640)
        }
    }

    @Test(arguments: [
        ("[record]\nfsp = 60", ":2: record has no option fsp"), ("[recrod]", ":1: this is no section"),
        ("[record]\n\nfps = fast", "--fps is set by"),
        ("[record]\nno-indicator = true", ":2: no-indicator cannot be set here"),
        ("[broadcast]\nto = rtmp://host/live/hush", "kinecast/destinations"),
    ])
    func `a line that cannot be used is one sentence with its place, and 64`(line: String, words: String) throws {
        try TestPlace.with { place in
            try configure(place, line)
            for arguments in [["record", "a.mp4", "--pattern", "320x240"], ["config"]] {
                let ended = try place.run(arguments)
                #expect(ended.status == ExitStatus.usage && ended.output == "", "\(ended)")
                #expect(ended.errors.contains(words) && ended.errors.contains(place.path(Self.file) + ":"), "\(ended)")
                #expect(!ended.errors.contains("hush") && ended.errors.split(separator: "\n").count == 1, "\(ended)")
            }
            #expect(access(place.path("a.mp4"), F_OK) != 0)
            // Commands that do not read the file work.
            for arguments in [["record", "--help"], ["status"], ["config", "--help"]] {
                #expect(try place.run(arguments).status == 0)
            }
        }
    }

    @Test func `variables and profiles that are not there are 64`() throws {
        try TestPlace.with { place in
            let variable = try place.run(["record", "a.mp4"], ["KINECAST_RECORD_FOO=1"])
            #expect(variable.status == ExitStatus.usage && variable.errors.contains("KINECAST_RECORD_FOO"))
            #expect(try place.run(["status"], ["KINECAST_RECORD_FOO=1"]).status == 0)
            let profile = try place.run("record", "a.mp4", "--profile", "talk")
            #expect(profile.status == ExitStatus.usage && profile.errors.contains("has no profile talk; it has none."))
        }
    }

    @Test func `config sets, prints and removes, and keeps what is in the file`() throws {
        try TestPlace.with { place in
            #expect(
                try place.run("config").output
                    == "# Nothing is configured. Try: kinecast config set record mic default\n")
            #expect(try place.run("config", "set", "record", "fps", "60").status == 0)
            #expect(try text(place) == "[record]\nfps = 60\n")
            #expect(try place.run("config", "set", "record", "exclude", "app:a", "title:b").status == 0)
            #expect(try place.run("config", "set", "--profile", "talk", "record", "mic", "usb").status == 0)
            let path = place.path(Self.file)
            let shown = try place.run(["config"], ["KINECAST_BROADCAST_TITLE=Show"])
            #expect(
                shown.output == """
                    [record]
                    # \(path):2
                    fps = 60
                    # \(path):3
                    exclude = app:a
                    # \(path):4
                    exclude = title:b
                    [broadcast]
                    # KINECAST_BROADCAST_TITLE
                    title = Show
                    # Profiles: talk

                    """)
            let lines = try place.run("config", "--json", "--profile", "talk").output.split(separator: "\n")
            #expect(lines.count == 4)
            #expect(lines.last == #"{"command":"record","option":"mic","origin":"\#(path):7","value":"usb"}"#)
            let before = try text(place)
            for arguments in [
                ["record", "fps", "fast"], ["record", "fsp", "60"], ["record", "json", "true"],
                ["record", "fps", "1", "2"], ["broadcast", "to", "rtmp://host/live/hush"], ["watch", "fps", "60"],
            ] {
                let ended = try place.run(["config", "set"] + arguments)
                #expect(ended.status == ExitStatus.usage && !ended.errors.contains("hush"), "\(ended)")
                #expect(!ended.errors.contains("is set by"), "\(ended)")
            }
            #expect(try place.run("config", "unset", "record", "mic").status == ExitStatus.usage)
            #expect(try text(place) == before)
            #expect(try place.run("config", "unset", "record", "fps").status == 0)
            #expect(try text(place) == before.replacing("fps = 60\n", with: ""))
        }
    }

    @Test func `an editor changes the file, which is checked afterwards`() throws {
        try TestPlace.with { place in
            func edit(_ editor: String) throws -> RunningKinecast.Ended {
                try place.run(["config", "edit"], ["VISUAL=\(editor)", "EDITOR=false"])
            }
            let wrong = try edit("sh -c 'printf \"[record]\\nfps = fast\\n\" >\"$1\"' sh")
            #expect(wrong.status == ExitStatus.usage, "\(wrong)")
            #expect(wrong.errors.contains("--fps is set by \(place.path(Self.file)):2."), "\(wrong)")
            #expect(try edit("sed -i s/fast/60/").status == 0)
            #expect(try text(place) == "[record]\nfps = 60\n")
            #expect(try edit("false").errors.contains("set EDITOR to another one"))
            // Another user's file in the working directory is no editor.
            try place.write("#!/bin/sh\n: >was-run\n", to: "planted-editor", permissions: .ownerReadWriteExecute)
            for path in ["", ".", ".:/usr/bin:/bin"] {
                let planted = try place.run(["config", "edit"], ["VISUAL=planted-editor", "PATH=\(path)"])
                #expect(planted.status == ExitStatus.usage && access(place.path("was-run"), F_OK) != 0, "\(planted)")
            }
        }
    }

    @Test func `keys are set, shown and removed, and work only while the tray's process runs`() throws {
        try TestPlace.with { place in
            #expect(try place.run("shortcuts", "set", "record", "shift+super+r").status == 0)
            #expect(try text(place) == "[shortcuts]\nrecord = Super+Shift+R\n")
            let shown = try place.run("shortcuts")
            #expect(shown.status == 0 && shown.errors.contains("kinecast-tray does not run"), "\(shown)")
            #expect(shown.output.hasPrefix("record      Super+Shift+R  not bound\n"), "\(shown)")
            let refusals = [("Super+Shift+R", ":3: Super+Shift+R is the key of record"), ("R", "add Super, Ctrl")]
            for (key, words) in refusals {
                let refused = try place.run("shortcuts", "set", "pause", key)
                #expect(refused.status == ExitStatus.usage && refused.errors.contains(words), "\(refused)")
            }
            #expect(try place.run("shortcuts", "unset", "record").status == 0)
            #expect(try place.run("shortcuts", "set", "clip", "Print").status == 0)
            #expect(try place.run("shortcuts", "--defaults").status == 0)
            let lines = try place.run("shortcuts", "--json").output.split(separator: "\n")
            #expect(lines.count == 5)
            #expect(lines.first == #"{"action":"record","key":"Super+Shift+R","running":false}"#)
            #expect(lines.dropFirst(2).first == #"{"action":"clip","key":"Print","running":false}"#)
            #expect(try place.run("config").output.contains("[shortcuts]\n"))
            #expect(try place.run("shortcuts", "bind").status == ExitStatus.unavailable)
            #expect(try place.run("config", "set", "shortcuts", "record", "R").status == ExitStatus.usage)
        }
    }
}
