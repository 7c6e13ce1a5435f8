// The studio's main path at the size that a small laptop leaves it: all that is pressed, and each sentence, is in the window.
import CoreTesting
import KineMeasure
import ProcessTesting
import Testing

@Suite(.tags(.real, .programs)) struct StudioWalkTests {
    @Test func `what the main path presses and says is in the window`() throws {
        let server = try MediaServer()
        try RunningStudio.with(configuration: "[record]\naudio = none\n[broadcast]\naudio = none\n") { studio in
            try studio.withWindow { window in
                try window.browser.show(width: 1366, height: 680, .light)
                try window.walk(refusing: Loopback.freePort(), taking: server)
            }
        }
    }
}
