// What a bundle gets of the one that had its id before: nothing after a removal, and all only where the person agrees.
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

@testable import KineServices

@Suite struct ServiceReplacementTests {
    /// A catalog with bundles that have the id `a`: one, from which it is installed, and two.
    private struct Place {
        let catalog: ServiceCatalog
        let directory: FilePath
        let kept: KeptSettings
        let (one, two): (FilePath, FilePath)

        var services: FilePath { directory.appending("user/kinecast/services") }
        var data: FilePath { directory.appending("user/kinecast/data") }

        static func with(_ body: (Place) throws -> Void) throws {
            let suite = ServiceCatalogTests()
            try suite.with { catalog, directory in
                let place = Place(
                    catalog: catalog, directory: directory, kept: catalog.belongings.settings,
                    one: try suite.bundle(directory.appending("one.kinext"), id: "a", name: "One"),
                    two: try suite.bundle(directory.appending("two.kinext"), id: "a", name: "Two"))
                try body(place)
            }
        }

        private init(catalog: ServiceCatalog, directory: FilePath, kept: KeptSettings, one: FilePath, two: FilePath) {
            (self.catalog, self.directory, self.kept, self.one, self.two) = (catalog, directory, kept, one, two)
        }

        /// Returns what was asked.
        @discardableResult
        func install(_ bundle: FilePath) throws -> ServiceCatalog.Question {
            var asked: ServiceCatalog.Question?
            try catalog.install(bundle) { _, question in
                asked = question
                return true
            }
            return try #require(asked)
        }

        /// As the studio keeps settings, and the extension a file.
        func keepSomething() throws {
            try kept.keep(["key": "hush"], of: "a")
            try ServiceCatalogTests().makeDirectories(data.appending("a/deep"))
            try ServiceCatalogTests().write("x", data.appending("a/deep/file"))
        }

        var hasSomething: Bool { kept.settings(of: "a") != nil || access(data.appending("a").string, F_OK) == 0 }
    }

    @Test func `what is kept for an id ends with the service, and so does the agreement to an installation`() throws {
        try Place.with { place in
            try place.install(place.one)
            try place.keepSomething()
            let settings = try #require(place.kept.file(of: "a"))
            try PrivateDirectory.write(Array("{}".utf8), to: PrivateDirectory.temporary(settings))
            let had = try place.catalog.remove("a")
            #expect(had && !place.hasSomething)
            #expect(PrivateDirectory.entries(place.services) == [] && PrivateDirectory.entries(place.data) == [])
            #expect(PrivateDirectory.entries(settings.removingLastComponent()) == [])
            let question = try place.install(place.two)
            #expect(!question.isNeeded)
            #expect(try !place.catalog.remove("a"))
        }
    }

    @Test func `a bundle from another path replaces one with its id only if the person agrees, and gets what it had`()
        throws
    {
        try Place.with { place in
            try place.install(place.one)
            try place.keepSomething()
            let again = try place.install(place.one)
            #expect(!again.isNeeded, "the same path")
            let old = try #require(place.catalog.service(id: "a"))
            for answer in [false, nil] {
                #expect(throws: ServiceCatalog.InstallError.notReplaced("a", wasAsked: answer != nil)) {
                    try place.catalog.install(place.two) { new, question in
                        #expect(new.manifest.name == "Two" && question.replaced == .service(old))
                        return answer
                    }
                }
            }
            #expect(place.catalog.service(id: "a") == old && old.installation?.source == place.one.string)
            try place.install(place.two)
            let replacing = try #require(place.catalog.service(id: "a"))
            #expect(replacing.manifest.name == "Two" && place.hasSomething && !old.isSuperseded)
            #expect(try place.install(place.one).isNeeded, "its path is another one now")
        }
    }

    @Test func `a bundle that was copied by hand, the system's, a damaged one and leftovers are asked about too`()
        throws
    {
        try Place.with { place in
            let suite = ServiceCatalogTests()
            try suite.bundle(place.directory.appending("one/s.kinext"), id: "a", name: "System")
            let system = try #require(place.catalog.service(id: "a"))
            #expect(try place.install(place.one).replaced == .service(system))
            try place.catalog.remove("a")
            try suite.makeDirectories(place.directory.appending("one"))
            BundleCopy.remove(place.directory.appending("one/s.kinext"))

            let damaged = place.services.appending("a.kinext")
            try suite.makeDirectories(damaged)
            #expect(try place.install(place.one).replaced == .damaged(damaged.string))
            try place.keepSomething()
            BundleCopy.remove(damaged)
            #expect(try place.install(place.one).replaced == .leftovers)
            BundleCopy.remove(damaged)
            try suite.bundle(damaged, id: "a", name: "By hand")
            #expect(try place.install(place.one).isNeeded, "another bundle is at the place of the installed one")
            BundleCopy.remove(damaged)
            let had = try place.catalog.remove("a")
            #expect(had && !place.hasSomething, "leftovers can be removed")

            // Another service has the place that this one would get.
            let other = try suite.bundle(damaged, id: "b")
            #expect(try !place.install(place.one).isNeeded)
            #expect(place.catalog.service(id: "b")?.bundle == other)
            #expect(place.catalog.service(id: "a")?.bundle == place.services.appending("a-2.kinext"))
            try place.keepSomething()
            try place.catalog.remove("b")
            #expect(place.hasSomething && place.catalog.service(id: "a") != nil)
        }
    }

    @Test func `a bundle that claims a built-in service's id takes nothing with it`() throws {
        try Place.with { place in
            try place.kept.keep(["url": "rtmp://host/app/key"], of: "rtmp")
            let claiming = try ServiceCatalogTests().bundle(place.services.appending("rtmp.kinext"), id: "rtmp")
            try place.catalog.remove(claiming.string)
            #expect(place.kept.settings(of: "rtmp") != nil && PrivateDirectory.entries(place.services) == [])
        }
    }

    @Test func `what cannot be removed keeps the service, and a killed removal's rest goes with the next`() throws {
        try Place.with { place in
            try place.install(place.one)
            let settings = try #require(place.kept.file(of: "a"))
            try ServiceCatalogTests().makeDirectories(settings)
            #expect(throws: ServiceCatalog.InstallError.cannotRemove(settings.string, .isDirectory)) {
                try place.catalog.remove("a")
            }
            #expect(place.catalog.service(id: "a")?.installation?.source == place.one.string)
            try #require(rmdir(settings.string) == 0)
            // No process has this number: it is above the kernel's largest (PID_MAX_LIMIT).
            try ServiceCatalogTests().makeDirectories(place.data.appending(".old-\(1 << 30)-1/deep"))
            try place.catalog.remove("a")
            #expect(PrivateDirectory.entries(place.data) == [])
        }
    }

    @Test func `a service that was removed is superseded by the next with its id, and not by its own next version`()
        throws
    {
        try Place.with { place in
            try place.install(place.one)
            let first = try #require(place.catalog.service(id: "a"))
            try place.install(place.one)
            #expect(!first.isSuperseded)
            try place.catalog.remove("a")
            #expect(first.isSuperseded)
            try place.install(place.one)
            #expect(first.isSuperseded && place.catalog.service(id: "a")?.isSuperseded == false)
        }
    }

    @Test func `a deep tree goes, with directories that nobody may read, and what its links lead to stays`() throws {
        try TemporaryDirectory.with { directory in
            let suite = ServiceCatalogTests()
            let outside = directory.appending("outside")
            try suite.makeDirectories(outside.appending("kept"))
            var path = directory.appending("tree")
            for level in 0..<100 {
                path.append("d\(level % 2)")
                try suite.makeDirectories(path)
                try suite.write("x", path.appending("file"))
                try #require(symlink(outside.string, path.appending("link").string) == 0)
            }
            try #require(chmod(path.string, 0) == 0)
            try #require(chmod(path.removingLastComponent().string, 0o300) == 0)
            BundleCopy.remove(directory.appending("tree"))
            #expect(PrivateDirectory.entries(directory) == ["outside"])
            #expect(PrivateDirectory.entries(outside) == ["kept"])
        }
    }
}
