// Edits as JSON, and what they may not say.
import FoundationEssentials
import KineMedia
import Testing

@Suite struct FilmEditsTests {
    private func edits(_ text: String) throws -> FilmEdits {
        try JSONDecoder().decode(FilmEdits.self, from: Data(text.utf8))
    }

    @Test func `what the file leaves out has the value that changes nothing`() throws {
        var expected = FilmEdits()
        #expect(try edits(#"{"version":1,"revision":0}"#) == expected)
        expected.pointer.scale = 2
        expected.background = FilmEdits.Background()
        expected.background?.colours = ["#102030", "#405060"]
        expected.size = PixelSize(width: 1280, height: 720)
        expected.zooms = [FilmEdits.Zoom(from: 1, to: 2.5, scale: 2)]
        expected.revision = 7
        let text = """
            {"version":1,"revision":7,"pointer":{"scale":2},"background":{"colours":["#102030","#405060"]},
             "size":[1280,720],"zooms":[{"from":1,"to":2.5,"scale":2,"label":"of a newer version"}],"newer":{"a":1}}
            """
        #expect(try edits(text) == expected)
        #expect(try edits(String(decoding: JSONEncoder().encode(expected), as: UTF8.self)) == expected)
    }

    @Test(arguments: [
        "{}", "[]", #"{"version":2,"revision":0}"#, #"{"version":1}"#, #"{"version":1,"revision":0,"cuts":3}"#,
    ])
    func `another file is none of edits`(text: String) {
        #expect(throws: DecodingError.self) { try edits(text) }
    }

    @Test func `hostile values have one sentence`() throws {
        let hostile = [
            #""cuts":[{"from":2,"to":1}]"#:
                "The edits' cut number 1 does not end after its beginning; correct its times.",
            #""cuts":[{"from":0,"to":1e300}]"#:
                "The edits' cut number 1 does not end after its beginning; correct its times.",
            #""speeds":[{"from":0,"to":1,"speed":0}]"#: "The edits' speed is not from 0.25 to 16.0; correct it.",
            #""speeds":[{"from":4,"to":9,"speed":2},{"from":0,"to":5,"speed":2}]"#:
                "The edits have two speeds at 4.0 s; let one end before the other begins.",
            #""zooms":[{"from":0,"to":5,"scale":2},{"from":4,"to":9,"scale":2}]"#:
                "The edits have two zooms at 4.0 s; let one end before the other begins.",
            #""zooms":[{"from":0,"to":5,"scale":1e9}]"#: "The edits' zoom is not from 1.0 to 8.0; correct it.",
            #""zooms":[{"from":0,"to":5,"scale":2,"centre":[1]}]"#:
                "The edits' centre of a zoom is not two numbers; correct it.",
            #""size":[1]"#: "The edits' size is not a width and a height from 16 to 8192; correct it.",
            #""size":[100000,100000]"#: "The edits' size is not a width and a height from 16 to 8192; correct it.",
            #""background":{}"#: "The edits' background is not a colour, a gradient or a picture; correct it.",
            #""background":{"colours":["red"]}"#:
                "The edits' background is not one or two colours such as #203040; correct it.",
            ##""background":{"colours":["#000000"],"padding":0.6}"##:
                "The edits' padding of the background is not from 0.0 to 0.4; correct it.",
        ]
        for (text, sentence) in hostile {
            let edits = try edits("{\"version\":1,\"revision\":0,\(text)}")
            let error = #expect(throws: FilmEdits.Problem.self) { try edits.validate() }
            #expect(error?.description == sentence)
        }
        var many = FilmEdits()
        many.zooms = (0..<100_000).map { FilmEdits.Zoom(from: Double($0), to: Double($0 + 1), scale: 2) }
        #expect(throws: FilmEdits.Problem.tooMany(.zoom, most: 2000)) { try many.validate() }
    }
}
