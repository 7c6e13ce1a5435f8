// The directories for recordings, by the user's settings.
import Testing

@testable import KinePlatform

@Suite struct UserDirectoriesTests {
    @Test(
        arguments: [
            ("XDG_VIDEOS_DIR=\"$HOME/Filme\"\n", "/home/a/Filme"), ("XDG_VIDEOS_DIR=\"/data/videos\"", "/data/videos"),
            ("# XDG_VIDEOS_DIR=\"$HOME/x\"\nXDG_MUSIC_DIR=\"$HOME/Music\"\n", nil),
            ("XDG_VIDEOS_DIR=\"relative\"", nil),
            ("", nil), ("XDG_VIDEOS_DIR=\"", nil),
        ] as [(String, String?)])
    func `the directory for videos is the one that the user's settings name`(text: String, path: String?) {
        #expect(UserDirectories.videos(in: text, home: "/home/a") == path)
    }
}
