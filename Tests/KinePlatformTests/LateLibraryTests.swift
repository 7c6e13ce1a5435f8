// The advice for a library that is missing, or is there in another version.
import KinePlatform
import Testing

@Suite struct LateLibraryTests {
    @Test func `a missing library is named with its package`() {
        #expect(LateLibrary("libkinecast-none", interface: 59).remedy == "install Debian's libkinecast-none59")
        let named = LateLibrary("libkinecast-none", interface: 7, package: "libkinecast-none-7")
        #expect(named.remedy == "install Debian's libkinecast-none-7")
    }

    @Test func `another version is named too`() {
        // The C library is always there, as libc.so.6.
        let remedy = LateLibrary("libc", interface: 5).remedy
        #expect(remedy.contains("libc 6 is installed, and Kinecast was built for 5"), "\(remedy)")
        #expect(remedy.contains("libc5"), "\(remedy)")
    }
}
