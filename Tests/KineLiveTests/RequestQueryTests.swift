// Which queries have parameters, and which are malformed.
import KineLive
import Testing

@Suite struct RequestQueryTests {
    @Test func `each parameter has a name and a value`() {
        #expect(RequestQuery("")?.parameters == [:])
        #expect(RequestQuery("a=1")?.parameters == ["a": "1"])
        #expect(RequestQuery("_HLS_msn=12&_HLS_part=3")?.parameters == ["_HLS_msn": "12", "_HLS_part": "3"])
        #expect(RequestQuery("A-b.c~=-_.~")?.parameters == ["A-b.c~": "-_.~"])
    }

    @Test(arguments: [
        "a", "a=", "=1", "=", "&", "a=1&", "&a=1", "a=1&&b=2", "a=1=2", "a=1&a=1", "a=1;b=2", "a=%31", "a=+", "a=1 ",
        "a=1?", "a=/", "ä=1", "a=1\u{301}", "a=\0", "a=1\r\n",
    ])
    func `anything else is malformed`(_ text: String) { #expect(RequestQuery(text[...]) == nil) }

    @Test func `its bytes and its parameters are limited`() {
        let value = String(repeating: "1", count: RequestQuery.byteLimit - 2)
        #expect(RequestQuery("a=\(value)")?.parameters == ["a": value])
        #expect(RequestQuery("aa=\(value)") == nil)
        let pairs = (0..<RequestQuery.parameterLimit).map { "a\($0)=1" }.joined(separator: "&")
        #expect(RequestQuery(pairs[...])?.parameters.count == RequestQuery.parameterLimit)
        #expect(RequestQuery("\(pairs)&b=1") == nil)
    }
}
