// Option values as they are typed: what is taken, and what is refused.
import KineChoices
import KineMedia
import Testing

@testable import KinecastCommand

@Suite struct OptionValueTests {
    @Test(arguments: [
        ("10s", 10.0), ("90", 90), ("2.5", 2.5), ("2m", 120), ("1h30m", 5400), ("1h", 3600), ("1h2m3s", 3723),
        ("1m30", 90), ("0.5s", 0.5), ("1H", 3600), ("500ms", 0.5), ("1s500ms", 1.5), ("00:00:10", 10), ("1:30", 90),
        ("0:00.25", 0.25),
    ])
    func `a duration is hours, minutes and seconds in order`(text: String, seconds: Double) {
        #expect(DurationOption(argument: text)?.time == .seconds(seconds))
    }

    @Test(arguments: [
        "", "0", "-1", "+5", "abc", "10x", "s", "1s2m", "1m1m", ".5", "5.", "1..2", "1e3", "nan", "inf", "1h ",
        "9999999999h", "٣", "500ms1s", "00:00", "0:00:00", "1:60", "9999999:00:00", "10us",
    ])
    func `what is no duration is refused`(text: String) {
        #expect(DurationOption(argument: text) == nil)
    }

    @Test(arguments: [
        ("0", 0.0), ("0s", 0), ("0.0", 0), ("12.5", 12.5), ("1m30s", 90), ("1:30", 90), ("0:00.25", 0.25),
        ("1:02:03.5", 3723.5), ("90:00", 5400), ("100:59:59", 363_599), ("0:00", 0), ("00:00:00.0", 0),
    ])
    func `a time in a recording is a length, or a player's clock`(text: String, seconds: Double) {
        #expect(TimeOption(argument: text)?.time == .seconds(seconds))
    }

    @Test(arguments: [
        "", "-1", ":", "1:", ":30", "1:60", "1:2:60", "1:60:00", "1:2:3:4", "1.5:00", "1:.5", "1:5.", "0x1", "s", ".",
    ])
    func `what is no time is refused`(text: String) {
        #expect(TimeOption(argument: text) == nil)
    }

    @Test(arguments: [
        ("10m", TakeConfiguration.SplitLimit.duration(.seconds(600))), ("90s", .duration(.seconds(90))),
        ("1h", .duration(.seconds(3600))), ("5", .duration(.seconds(5))), ("2GB", .bytes(2_000_000_000)),
        ("500mb", .bytes(500_000_000)), ("5000kB", .bytes(5_000_000)), ("1.5GiB", .bytes(1_610_612_736)),
        ("8MiB", .bytes(8_388_608)),
    ])
    func `a recording is split at a time or a size`(text: String, limit: TakeConfiguration.SplitLimit) {
        #expect(SplitOption(argument: text)?.limit == limit)
    }

    @Test(arguments: [
        "", "4s", "4MB", "4999kB", "MB", ".5GB", "5.GB", "1..5GB", "-2GB", "2 GB", "2TB", "9999999999GB", "10x",
    ])
    func `a limit that is none, or too small, is refused`(text: String) {
        #expect(SplitOption(argument: text) == nil)
    }

    @Test(arguments: [
        ("4000000", 4_000_000), ("800k", 800_000), ("4M", 4_000_000), ("4.5m", 4_500_000), ("1000", 1000),
        ("1000M", 1_000_000_000), ("4Mbps", 4_000_000), ("800kbit/s", 800_000), ("4000kb/s", 4_000_000),
        ("64000bps", 64000),
    ])
    func `a bit rate takes thousands and millions`(text: String, rate: Int) {
        #expect(BitrateOption(argument: text)?.bitsPerSecond == rate)
    }

    @Test(arguments: [
        "", "k", "M", "-4M", "4G", "4kk", "999", "1001M", "nan", "4 M", "1e6", "4.M.", "0", "4MB/s", "bps",
    ])
    func `what is no bit rate is refused`(text: String) {
        #expect(BitrateOption(argument: text) == nil)
    }

    @Test(arguments: [
        ("30", 30, false), ("60.0", 60, false), ("1", 1, false), ("240", 240, false), ("60/1", 60, false),
        ("29.97", 30, true),
        ("30000/1001", 30, true), ("23.976", 24, true), ("23.98", 24, true), ("59.94", 60, true), ("119.88", 120, true),
    ])
    func `a frame rate is whole, or one of NTSC's`(text: String, frames: Int, isNTSC: Bool) throws {
        let rate = try #require(FrameRateOption(argument: text))
        #expect(rate.framesPerSecond == frames && rate.isNTSC == isNTSC)
    }

    @Test(arguments: ["", "0", "241", "-1", "29.5", "0.5", "30/0", "1/2/3", "nan", "inf", "1e2", ".", "/", "239.99"])
    func `what is no frame rate is refused`(text: String) {
        #expect(FrameRateOption(argument: text) == nil)
    }

    @Test func `a size is two sides`() {
        #expect(SizeOption(argument: "1280x720")?.size == PixelSize(width: 1280, height: 720))
        #expect(SizeOption(argument: "1279X719")?.size == PixelSize(width: 1279, height: 719))
        #expect(SizeOption(argument: "16x16384") != nil)
        for text in [
            "", "x", "1280", "1280x", "x720", "1280x720x2", "15x720", "1280x16385", "-1280x720", "+1280x720",
            "1280 x720",
        ] {
            #expect(SizeOption(argument: text) == nil, "\(text)")
        }
    }

    @Test func `a region is a size and its upper left corner`() {
        #expect(RegionOption(argument: "640x480+10+20")?.rect == PixelRect(x: 10, y: 20, width: 640, height: 480))
        #expect(RegionOption(argument: "10,20 640x480")?.rect == PixelRect(x: 10, y: 20, width: 640, height: 480))
        #expect(RegionOption(argument: "640x480+0+0")?.rect == PixelRect(x: 0, y: 0, width: 640, height: 480))
        for text in [
            "", "640x480", "640x480+10", "640x480+-10+20", "640x480-10+20", "640x480+10+20+30", "+10+20",
            "640x480+40000+0", "10,20", "10,20 640x480 0", "-10,20 640x480", "10,20,30 640x480", "10,20  640x480",
        ] {
            #expect(RegionOption(argument: text) == nil, "\(text)")
        }
    }

    @Test func `a window id is decimal or hexadecimal`() {
        #expect(WindowOption(argument: "0x3a00007")?.source == .window(0x3a00007))
        #expect(WindowOption(argument: "0X3A00007")?.source == .window(0x3a00007))
        #expect(WindowOption(argument: "60817415")?.source == .window(60_817_415))
        for text in ["", "0", "0x", "3a00007", "0x1ffffffff", "-1", "+1", "0x+1"] {
            #expect(WindowOption(argument: text) == nil, "\(text)")
        }
    }

    @Test func `audio is the system's, none, an output's or an application's`() {
        #expect(TakeConfiguration.AppAudio(argument: "system") == .system(required: true))
        #expect(TakeConfiguration.AppAudio(argument: "none") == TakeConfiguration.AppAudio.none)
        #expect(TakeConfiguration.AppAudio(argument: "app:Firefox") == .application("Firefox"))
        #expect(TakeConfiguration.AppAudio(argument: "app:a:b") == .application("a:b"))
        #expect(TakeConfiguration.AppAudio(argument: "output:hdmi.1") == .output("hdmi.1"))
        for text in ["", "System", "app:", "app", "output:", "output", ":a", "Firefox"] {
            #expect(TakeConfiguration.AppAudio(argument: text) == nil, "\(text)")
        }
    }
}
