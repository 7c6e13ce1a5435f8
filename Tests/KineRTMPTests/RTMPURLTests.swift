// Addresses: their parts, and what is shown of them.
import KineRTMP
import Testing

@Suite struct RTMPURLTests {
    @Test(arguments: [
        ("rtmp://a.example/live2/abcd-efgh", "a.example", 1935, "live2", "abcd-efgh"),
        ("rtmps://live.example:443/rtmp/FB-1?s_bl=1&a=x/y", "live.example", 443, "rtmp", "FB-1?s_bl=1&a=x/y"),
        ("RTMP://h:1936/app/instance/key", "h", 1936, "app/instance", "key"),
        ("rtmp://[::1]:1/app/key", "::1", 1, "app", "key"), ("rtmp://h/path/", "h", 1935, "path", ""),
        ("rtmp://h/live?vhost=v/key", "h", 1935, "live?vhost=v", "key"),
        // MediaMTX joins the two with a slash, or takes the application alone.
        ("rtmp://h/mystream", "h", 1935, "mystream", ""),
        ("rtmp://h/my?user=u&pass=p", "h", 1935, "my?user=u&pass=p", ""),
        ("rtmp://h/my?token=a/b", "h", 1935, "my?token=a", "b"),
    ]) func `an address is split into its parts`(
        text: String, host: String, port: Int, application: String, stream: String
    ) throws {
        let url = try RTMPURL(text)
        #expect(url.host == host && url.port == port)
        #expect(url.application == application && url.streamName == stream)
    }

    @Test func `user and password are decoded`() throws {
        let url = try RTMPURL("rtmp://us%40er:p%3Aa@ss@h/app/key")
        #expect(url.user == "us@er" && url.password == "p:a@ss")
        #expect(url.serverAddress() == "rtmp://h/app")
        let other = try RTMPURL("rtmp://a%+5b:p%-0q%4@h/app/key")
        #expect(other.user == "a%+5b" && other.password == "p%-0q%4")
    }

    @Test func `secrets are not in a description`() throws {
        let url = try RTMPURL("rtmps://user:password@h:444/app/key?token=1")
        for text in ["\(url)", String(reflecting: url), "\([url])", String(describing: Optional(url))] {
            #expect(text.contains("rtmps://h:444/app/…"))
            #expect(!text.contains("user") && !text.contains("password") && !text.contains("key"))
        }
        var dumped = ""
        dump(url, to: &dumped)
        #expect(!dumped.contains("password") && !dumped.contains("key"))
        let authentication = PublisherAuthentication(url, challenge: 1)
        dump(authentication, to: &dumped)
        for text in ["\(authentication)", String(reflecting: authentication), "\([authentication])", dumped] {
            #expect(!text.contains("user") && !text.contains("password"))
        }
    }

    /// A key with a slash behind it would be read as a part of the application.
    @Test(arguments: [
        ("rtmp://h/app/SECRET/", "rtmp://h/app/…"), ("rtmp://h/app/SECRET/?t=1", "rtmp://h/app/…"),
        ("rtmp://h/app/SECRET//", "rtmp://h/app/…"), ("rtmp://h/SECRET/", "rtmp://h/…"),
        ("rtmp://h/app/?SECRET", "rtmp://h/…"), ("rtmp://h/a/b/SECRET", "rtmp://h/a/b/…"),
        ("rtmp://h/SECRET", "rtmp://h/…"), ("rtmp://h/my?user=u&pass=SECRET", "rtmp://h/…"),
    ]) func `a part that may be a key is not in a description`(text: String, description: String) throws {
        let url = try RTMPURL(text)
        #expect(url.description == description)
        #expect(!url.isFreeOfSecrets("no stream SECRET") && url.isFreeOfSecrets("no such stream"))
    }

    @Test(arguments: [
        ("rtmp://h/app/key?token=a1b2c3&n=1", "a1b2c3 has expired", false),
        ("rtmp://h/app/key?token=a1b2c3&n=1", "token 1 has expired", true),
        ("rtmp://h/app/name?a1b2c3==", "a1b2c3", false), ("rtmp://h/live?auth=a1b2c3/name", "a1b2c3", false),
        ("rtmp://h/app/n%61me", "name", false), ("rtmp://h/app/n%61me", "n%61me", false),
        ("rtmp://h/app/na-me", "na%2Dme", false), ("rtmp://u:a%20b@h/app/name", "a b", false),
    ]) func `secrets are found in a text`(address: String, text: String, isFree: Bool) throws {
        #expect(try RTMPURL(address).isFreeOfSecrets(text) == isFree)
    }

    @Test(arguments: [
        ("http://h/app/key", RTMPURL.Error.scheme), ("rtmp:/h/app/key", .scheme), ("rtmp:///app/key", .host),
        ("rtmp://h:0/app/key", .port), ("rtmp://h:70000/a/k", .port), ("rtmp://h:+1/a/k", .port),
        ("rtmp://h", .application), ("rtmp://h/", .application), ("rtmp://h//key", .application),
        ("rtmp://h/?key", .application), ("rtmp://h/a/k ey", .character), ("rtmp://h/a/k\n", .character),
        ("rtmp://h/a/\u{301}key", .character), ("rtmp://u:p@\u{301}h/a/k", .character),
        ("rtmp://[::1/a/k", .host), ("rtmp://[[a]/a/k", .host), ("rtmp://a]/a/k", .host),
    ]) func `an invalid address says why`(text: String, error: RTMPURL.Error) {
        #expect(throws: error) { try RTMPURL(text) }
    }

    @Test func `an address of one part is told from one whose key has a slash behind it`() throws {
        #expect(try RTMPURL("rtmp://h/mystream?user=u/").hasOnePart && RTMPURL("rtmp://h/mystream/").hasOnePart)
        #expect(try !RTMPURL("rtmp://h/app/key").hasOnePart && !RTMPURL("rtmp://h/app/key/").hasOnePart)
    }

    @Test(arguments: [
        ("rtmp://h/app/key?token=1", "rtmp://b/live", "rtmp://b/live"),
        ("rtmp://h/app/key?token=1", "rtmp://b:1936/live/inst/", "rtmp://b:1936/live/inst"),
        ("rtmp://h/app/key?token=1", "rtmp://b/live/key", "rtmp://b/live"),
        ("rtmp://h/app/key?token=1", "rtmp://b/live/key?token=1", "rtmp://b/live"),
        ("rtmp://h/app/key?token=1", "/key", "rtmp://h/key"),
        ("rtmp://h/my?user=u", "rtmp://b/other", "rtmp://b/other"),
    ]) func `a server may redirect a stream to an application, or to a stream of the same name`(
        home: String, target: String, server: String
    ) throws {
        let url = try RTMPURL(home)
        let redirected = try #require(url.redirected(to: target))
        #expect(redirected.serverAddress() == server && redirected.streamName == url.streamName)
    }

    @Test func `a server cannot redirect a stream out of encryption`() throws {
        #expect(try RTMPURL("rtmps://h/app/key").redirected(to: "rtmp://h/app") == nil)
        #expect(try RTMPURL("rtmp://h/app/key").redirected(to: "rtmps://h/app")?.isSecure == true)
        #expect(try RTMPURL("rtmp://h/app/key").redirected(to: "rtmp://h//") == nil)
        #expect(
            try RTMPURL("rtmp://h/app/key").redirected(to: "rtmp://h/" + String(repeating: "a", count: 5000)) == nil)
    }
}
