// The advice for a library that is missing, or is there in another version.
import KineMeasure
import KinePlatform
import Testing

@Suite struct LateLibraryTests {
    @Test func `a missing library is named with its package`() {
        #expect(LateLibrary("libkinecast-none", interface: 59).remedy == "install Debian's libkinecast-none59")
        let named = LateLibrary("libkinecast-none", interface: 7, package: "libkinecast-none-7")
        #expect(named.remedy == "install Debian's libkinecast-none-7")
    }

    @Test func `a library that is there and cannot be loaded is not said to be missing`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("no library".utf8, to: "libkinecast-none.so.1")
        let broken = LateLibrary(directory.file("libkinecast-none"), interface: 1, package: "none")
        #expect(broken.lack().hasPrefix("cannot be loaded (") && broken.remedy == "install Debian's none again")
        #expect(LateLibrary("libkinecast-none", interface: 1).lack(or: "is old") == "is not installed")
        #expect(LateLibrary("libc", interface: 6).lack(or: "is old") == "is old")
    }

    @Test func `another version is named too`() {
        // The C library is always there, as libc.so.6.
        let remedy = LateLibrary("libc", interface: 5).remedy
        #expect(remedy.contains("libc 6 is installed, and Kinecast was built for 5"), "\(remedy)")
        #expect(remedy.contains("libc5"), "\(remedy)")
    }
}
