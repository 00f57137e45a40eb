// What the user sees while a run goes on: a panel, lines, or nothing.

import Basics
import EventLoop
import LoadGenerator
import Metrics
import MockServer
import Reports

/// Confined to the thread that runs the harness.
final class RunPanel {
    private var panel: LivePanel
    private let isQuiet: Bool
    private let time: any TimeSource
    private let pace: Interval
    /// Of load and drain.
    private let total: Interval
    private var next = Instant(nanoseconds: 0)

    /// Lines come on the host's clock, however fast the run's is.
    init(title: String, options: RunOptions, total: Interval, time: any TimeSource = SystemTime()) {
        self.time = time
        isQuiet = options.isQuiet
        let isPanel = !options.isQuiet && !options.isPlain && Console.isTerminal(2)
        pace = isPanel ? .milliseconds(200) : .seconds(2)
        self.total = total
        let style: LivePanel.Style =
            options.isQuiet
            ? .quiet : isPanel ? .panel(columns: Console.columns, color: Console.wantsColor(2)) : .lines
        panel = LivePanel(title: title, style: style)
    }

    func say(_ text: String) { if !isQuiet { Console.error(text) } }

    func show(_ moment: Conductor.Moment) {
        let now = time.now()
        guard !isQuiet, now >= next else { return }
        next = now + pace
        let load = moment.load
        let answer = load.answer
        let hasAnswers = answer.count > 0
        let text = panel.text(
            for: LiveFrame(
                phase: moment.phase, elapsed: max(.zero, moment.now - moment.origin), total: total,
                planned: Int64(load.planned), sent: Int64(load.sent), answered: Int64(load.answered),
                failed: Int64(load.failed), dropped: Int64(load.dropped), activeSessions: Int64(load.activeSessions),
                pushes: Int64(moment.mock.pushes),
                pushErrors: Int64(moment.mock.byStatus.filter { $0.key != 200 }.values.reduce(0, +)),
                faultsActive: moment.faults,
                answerP50: hasAnswers ? Interval(nanoseconds: answer.value(at: 50)) : nil,
                answerP99: hasAnswers ? Interval(nanoseconds: answer.value(at: 99)) : nil,
                latenessP99: load.lateness.count > 0 ? load.latenessP99 : nil))
        Console.error(text)
    }

    func finish() { say(panel.finish()) }
}
