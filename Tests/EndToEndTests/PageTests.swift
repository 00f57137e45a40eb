import Testing

@Suite("The mock's live page", .serialized)
struct PageTests {
    private static let hasChromium = (try? Rig.run("which", ["chromium"]).code) == 0

    @Test(
        "in Chromium: live, filtered, steered, by keyboard, in both schemes, at 360 pixels, with hostile pushes",
        .enabled(if: hasChromium, "there is no chromium; script/setup --browser installs it"))
    func page() throws {
        let result = try Rig.run("env", ["PUSHRIG=\(Rig.pushrig)", "script/page"], seconds: 300)
        #expect(result.code == 0, "\(result.out)\(result.error)")
        #expect(result.out.contains("ok ") && !result.out.contains("FAIL"))
    }
}
