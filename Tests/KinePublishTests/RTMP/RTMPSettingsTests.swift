// The settings of the RTMP service, as they arrive: text.
import KinePublish
import Testing

@Suite struct RTMPSettingsTests {
    @Test func `settings are read`() throws {
        let settings = try RTMPSettings(setupInfo: [
            "url": "rtmps://h/app/key", "ca-file": "/etc/ca.pem", "max-reconnects": "3", "min-bitrate": "500k",
        ])
        #expect(settings.url.host == "h" && settings.url.isSecure)
        #expect(settings.certificateAuthority == "/etc/ca.pem")
        #expect(settings.retries == 3 && settings.minimumBitrate == 500_000)
        let plain = try RTMPSettings(setupInfo: ["url": "rtmp://h/app/key"])
        #expect(try RTMPSettings(setupInfo: ["url": "rtmp://h/mystream?user=u"]).url.hasOnePart)
        #expect(plain.certificateAuthority == nil && plain.retries == nil)
        #expect(try RTMPSettings(setupInfo: ["url": "rtmp://h/a/k", "min-bitrate": "2M"]).minimumBitrate == 2_000_000)
    }

    @Test(arguments: [
        ("rtmp://h/app", "key", "app", "key"), ("rtmp://h/app/", "key", "app", "key"),
        ("rtmp://h/app/instance", "key?a=x/y", "app/instance", "key?a=x/y"),
        ("rtmps://h/live2?backup=1", "key", "live2?backup=1", "key"),
    ])
    func `an address may come in two parts`(server: String, key: String, application: String, name: String) throws {
        let settings = try RTMPSettings(setupInfo: ["server": server, "key": key])
        #expect(settings.url.application == application && settings.url.streamName == name)
        let whole = try RTMPSettings(setupInfo: ["url": "rtmp://other/a/b", "server": server, "key": key])
        #expect(whole.url.host == "other")
        #expect(try RTMPSettings(setupInfo: ["url": "", "server": server, "key": key]).url.host == "h")
    }

    @Test(arguments: [
        ([:], "such as rtmp://HOST/APPLICATION/STREAM"), (["url": "rtmp://h"], "names no application"),
        (["url": "rtmp://h/app/secret/"], "names no stream"),
        (["url": "rtmp://h/a/k", "max-reconnects": "-1"], "max-reconnects"),
        (["url": "rtmp://h/a/k", "min-bitrate": "fast"], "min-bitrate"),
        (["url": "rtmp://h/a/k", "min-bitrate": "0"], "min-bitrate"),
    ]) func `an unusable setting is named without secrets`(setupInfo: [String: String], words: String) {
        let error = #expect(throws: RTMPSettings.Error.self) { try RTMPSettings(setupInfo: setupInfo) }
        #expect(error?.description.contains(words) == true && error?.description.contains("secret") == false)
    }
}
