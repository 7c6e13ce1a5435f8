// The studio's page as axe judges it.
import KineMeasure
import KinePlatform
import Testing

extension StudioWindow {
    /// Expects that axe finds nothing, light and dark.
    ///
    /// - Parameter state: of the page, for the test's report.
    package func expectAccessible(_ state: String) throws {
        let path = RunningKinecast.executables.removingLastComponent().removingLastComponent().appending("axe.min.js")
        let axe = try #require(PrivateDirectory.contents(of: path, limit: 1 << 20), "scripts/test fetches \(path)")
        for scheme in Browser.Scheme.allCases {
            try browser.show(width: 1024, height: 800, scheme)
            let _: Bool = try browser.run("\(String(decoding: axe, as: UTF8.self)); return true;")
            let violations: [String] = try browser.runUntilDone(
                """
                const done = arguments[0];
                axe.run().then(({ violations, passes }) => done(
                    passes.length < 10 ? ["axe has looked at nothing"] : violations.flatMap(({ id, nodes }) =>
                        nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))));
                """, seconds: 60)
            #expect(violations == [], "\(state), \(scheme)")
        }
    }
}
