// The page's own reader of records, in the browser that runs it, given whatever may come over a connection.
import Glibc
import KineMeasure
import KinePlatform
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct RecordReaderTests {
    /// The script that fuzzes it: whole streams and damaged ones, cut anywhere. Damaged bytes are either refused or read, but the
    /// same way however they are cut, and no record reaches beyond what came.
    private static let script = """
        (async () => {
            const { RecordReader, recordLimit } = await import(new URL("stream.js", location.href).href);
            let state = BigInt(SEED);
            const random = (limit) => {
                state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
                return Number(state >> 33n) % limit;
            };
            const record = () => {
                const content = random(4) === 0 ? random(5000) : random(60);
                const bytes = new Uint8Array(16 + content);
                for (let index = 16; index < bytes.length; index += 1) bytes[index] = random(256);
                const view = new DataView(bytes.buffer);
                view.setUint32(0, bytes.length - 4);
                view.setUint8(4, random(9));
                view.setUint8(5, random(2));
                view.setUint16(6, random(2) === 0 ? 0 : Math.min(bytes.length, 16 + random(content + 1)));
                view.setBigInt64(8, BigInt(random(1 << 30)) - 5000n);
                return bytes;
            };
            const read = (bytes, cut) => {
                const reader = new RecordReader();
                const records = [];
                let refused = false;
                try {
                    for (let start = 0; start < bytes.length; ) {
                        const end = Math.min(bytes.length, start + cut());
                        reader.push(bytes.slice(start, end), (record) => records.push(
                            [record.kind, record.isKeyframe, record.time, Array.from(record.content).join(),
                                record.accessUnit && Array.from(record.accessUnit).join()].join("|")));
                        start = end;
                    }
                } catch { refused = true; }
                return { records, refused };
            };
            for (let run = 0; run < RUNS; run += 1) {
                const parts = Array.from({ length: 1 + random(6) }, record);
                const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
                parts.reduce((offset, part) => { bytes.set(part, offset); return offset + part.length; }, 0);
                const isDamaged = random(2) === 0;
                if (isDamaged) {
                    for (let count = random(8); count >= 0; count -= 1) bytes[random(Math.min(bytes.length, 64))] = random(256);
                }
                const whole = read(bytes, () => bytes.length);
                const longest = 1 + random(40);
                const cut = read(bytes, () => 1 + random(longest));
                if (whole.refused !== cut.refused || whole.records.join() !== cut.records.join()) {
                    return `run ${run}: the cut changed what was read`;
                }
                if (!isDamaged && (whole.refused || whole.records.length !== parts.length)) return `run ${run}: a record is lost`;
            }
            const claimsMuch = new Uint8Array(16);
            new DataView(claimsMuch.buffer).setUint32(0, recordLimit + 1);
            if (!read(claimsMuch, () => 16).refused) return "it waits for more than a record may have";
            return "good";
        })().then((verdict) => { window.verdict = verdict; }, (error) => { window.verdict = String(error); });
        return true;
        """

    /// The seed is another in every run, and can be given: KINECAST_SEED.
    @Test func `records are read the same however they are cut, and damaged ones are refused`() throws {
        let seed = ProcessEnvironment.value("KINECAST_SEED").flatMap { UInt32($0) } ?? UInt32.random(in: 0...UInt32.max)
        try TestPlace.with { place in
            let take = try place.start("broadcast", "--pattern", "640x360", "--json")
            let link = try #require(try take.event("destination") { $0.kind == "link" }.link)
            let browser = try Browser(environment: place.environment)
            defer { browser.end() }
            // Without the token the page only lies there.
            try browser.open(#require(LiveLink(link)).base)
            let script = Self.script.replacing("SEED", with: "\"\(seed)\"").replacing("RUNS", with: "4000")
            let _: Bool = try browser.run(script)
            #expect(try browser.wait(until: "return window.verdict !== undefined"))
            #expect(try browser.run("return window.verdict") == "good", "KINECAST_SEED=\(seed)")
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
        }
    }
}
