// scripts/ci: what a run begins from, with a small repository in place of this one, and scripts in place of scripts/test and of Swift.
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

@Suite(.tags(.real, .slow)) struct KeptBuildTests {
    /// A repository whose tests write what they found of an earlier run.
    private struct Repository {
        let place: TestPlace
        private var environment: [String] {
            ProcessEnvironment.merging(
                place.environment,
                [
                    "PATH=\(place.path("bin")):\(ProcessEnvironment.value("PATH") ?? "/usr/bin:/bin")",
                    "HOME=\(place.directory)",
                    "XDG_CACHE_HOME=\(place.path("cache"))", "GIT_CONFIG_NOSYSTEM=1", "PLACE=\(place.directory)",
                ])
        }

        init(in place: TestPlace) throws {
            self.place = place
            let packages = [
                "main", "main/Benchmarks", "main/Fuzz", "main/Examples/CaptureApp", "main/Examples/HostEncode",
                "main/Examples/HostEncode/Extension",
            ]
            for directory in ["bin", "main", "main/scripts", "main/Sources", "main/Examples"] + packages.dropFirst() {
                try place.makeDirectory(directory)
            }
            for name in ["ci", "build.sh", "swiftc"] {
                _ = try Tool.output(
                    "cp",
                    [RunningKinecast.checkout.appending("scripts/\(name)").string, place.path("main/scripts/\(name)")])
            }
            try place.write(
                "all_test_packages=()\nbuild_packages=()\ninstall_packages() { :; }\n", to: "main/scripts/packages.sh")
            try place.write("", to: "main/scripts/versions")
            for package in packages { try place.write("// a package\n", to: "\(package)/Package.swift") }
            try place.write("one\n", to: "main/Sources/a.swift")
            try place.write("two\n", to: "main/Sources/b.swift")
            try place.write("a header\n", to: "main/Sources/shim.h")
            try place.write(".build/\nPackage.resolved\n", to: "main/.gitignore")
            try place.write("Swift 1\n", to: "version")
            try place.write(
                """
                #!/bin/bash
                [[ $1 == --version ]] && exec cat "$PLACE/version"
                echo built >>"$PLACE/dependencies"
                mkdir -p .build
                touch .build/dependency

                """, to: "bin/swift", permissions: .ownerReadWriteExecute)
            // Says from what it begins and which sources it has, then ends as OUTCOME says.
            try place.write(
                """
                #!/bin/bash
                cd "$(dirname "${BASH_SOURCE[0]}")/.."
                source scripts/build.sh
                found=nothing
                [[ ! -e .build/dependency ]] || found=dependencies
                [[ ! -e .build/product ]] || found="product of $(cat .build/product)"
                forget_pass
                mkdir -p .build
                echo "from $found: $(cat Sources/*.swift | paste -s -d ' ')"
                git rev-parse HEAD >.build/product
                [[ $PWD == */cache/* ]] || echo "in place"
                case $OUTCOME in
                passes) remember_pass "$(build_identity)" "$(sources_tree)" ;;
                fails) exit 1 ;;
                dies) kill -KILL $$ ;;
                waits)
                    read -r <"$PLACE/go"
                    remember_pass "$(build_identity)" "$(sources_tree)"
                    ;;
                esac

                """, to: "main/scripts/test", permissions: .ownerReadWriteExecute)
            try git("init", "--quiet")
            try commit()
        }

        @discardableResult
        func git(_ arguments: String...) throws -> String {
            let identity = ["-C", place.path("main"), "-c", "user.name=A", "-c", "user.email=a@example.org"]
            return try Tool.output("git", identity + arguments)
        }

        /// Commits the files as they are.
        func commit() throws {
            try git("add", "--all")
            try git("commit", "--quiet", "--allow-empty", "--message", "change")
        }

        /// Begins a run that ends in such a way.
        func start(_ outcome: String) throws -> RunningKinecast {
            return try RunningKinecast(
                arguments: [place.path("main/scripts/ci")], environment: environment + ["OUTCOME=\(outcome)"],
                directory: place.directory, executable: "/bin/bash")
        }

        /// Runs to the end, checks the exit status, and returns the lines of standard output.
        func run(_ outcome: String = "passes") throws -> String {
            let ended = try start(outcome).wait()
            #expect((ended.status == 0) == (outcome == "passes"), "\(ended)")
            return ended.output.split(separator: "\n").joined(separator: ", ")
        }

        var dependencyBuilds: Int {
            get throws { try Tool.contents(of: place.path("dependencies")).count { $0 == UInt8(ascii: "\n") } }
        }
    }

    @Test func `a run after one that passed keeps its products, and has its own commit's sources`() throws {
        try TestPlace.with { place in
            let repository = try Repository(in: place)
            #expect(try repository.run() == "from dependencies: one two")
            let first = try repository.git("rev-parse", "HEAD").trimmingPrefix { $0.isWhitespace }.prefix {
                !$0.isNewline
            }
            #expect(try repository.run() == "from product of \(first): one two")
            // As long as before, and a file less.
            try place.write("ONE\n", to: "main/Sources/a.swift")
            #expect(unlink(place.path("main/Sources/b.swift")) == 0)
            try repository.commit()
            #expect(try repository.run() == "from product of \(first): ONE")
            // Back to the first commit.
            let second = try repository.git("rev-parse", "HEAD").prefix { !$0.isNewline }
            try repository.git("checkout", "--quiet", "HEAD~1")
            #expect(try repository.run() == "from product of \(second): one two")
            for outcome in ["fails", "dies"] {
                #expect(try repository.run(outcome).hasPrefix("from product"))
                #expect(try repository.run(outcome) == "from dependencies: one two")
                #expect(try repository.run() == "from dependencies: one two")
            }
            #expect(try repository.run().hasPrefix("from product"))
        }
    }

    @Test func `a change that the build does not see, or damage, makes a run begin without products`()
        throws
    {
        try TestPlace.with { place in
            let repository = try Repository(in: place)
            _ = try repository.run()
            let builds = try repository.dependencyBuilds
            func expectNew(_ what: Comment) throws {
                #expect(try repository.run() == "from dependencies: one two", what)
                #expect(try repository.run().hasPrefix("from product"), what)
            }
            try place.write("a longer header\n", to: "main/Sources/shim.h")
            try repository.commit()
            try expectNew("a header")
            try place.write("// another package\n", to: "main/Package.swift")
            try repository.commit()
            try expectNew("a manifest")
            try place.write("rubbish", to: "cache/kinecast/ci/tree/.build/passed")
            try expectNew("a record that is damaged")
            _ = try Tool.output("rm", ["-rf", place.path("cache/kinecast/ci/tree/.git")])
            try place.write("rubbish", to: "cache/kinecast/ci/tree/.git")
            try expectNew("a repository that is damaged")
            #expect(try repository.dependencyBuilds == builds)
            try place.write("Swift 2\n", to: "version")
            try expectNew("another Swift")
            #expect(try repository.dependencyBuilds == 2 * builds)
            _ = try Tool.output("rm", ["-rf", place.path("cache")])
            try expectNew("nothing is kept any more")
            try repository.git("tag", "v1.0.0")
            #expect(try repository.run() == "from dependencies: one two", "a release")
        }
    }

    @Test func `a second run at the same time builds everything in its own checkout`() throws {
        try TestPlace.with { place in
            let repository = try Repository(in: place)
            _ = try repository.run()
            #expect(mkfifo(place.path("go"), 0o600) == 0)
            let first = try repository.start("waits")
            try first.line("from product")
            #expect(try repository.run() == "from nothing: one two, in place")
            _ = try Tool.output("bash", ["-c", "echo >\(place.path("go"))"])
            #expect(try first.wait().status == 0)
            #expect(try repository.run().hasPrefix("from product"))
        }
    }
}
