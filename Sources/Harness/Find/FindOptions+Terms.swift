// Numbers of the command line as a search's terms, and what of them contradicts itself.

package import Basics
import Capacity

extension FindOptions {
    /// Texts as they were given; nil: the usual. Throws a usage failure that names the option.
    package mutating func readTerms(
        from: String?, to: String?, width: String?, trial: String?, sum: String?, exceed: String?, confirm: String?,
        budget: String?, atLeast: String?
    ) throws(Failure) {
        if let from { terms.from = try Self.rate(from, "--from") }
        if let to { terms.to = try Self.rate(to, "--to") }
        if let width { terms.width = try Self.share(width, "--width", 0.001...0.5) }
        if let trial { terms.trial = try Self.seconds(trial, "--trial", 7...3_600) }
        if let sum { terms.sum = try Self.seconds(sum, "--sum", 7...86_400) }
        if let exceed { terms.exceed = try Self.share(exceed, "--exceed", 0...0.99) }
        if let confirm { terms.confirm = try Self.seconds(confirm, "--confirm", 0...86_400) }
        if let budget { terms.budget = try Self.seconds(budget, "--budget", 1...604_800) }
        if let atLeast { self.atLeast = try Self.rate(atLeast, "--at-least") }
        func contradict(_ message: String, _ hint: String) -> Failure { Failure(.usage, message, hint: hint) }
        guard terms.from <= terms.to else {
            throw contradict("--from is above --to", "the search goes up from --from")
        }
        guard terms.sum >= terms.trial else {
            throw contradict("--sum is shorter than one trial", "make it three trials long at least")
        }
        if terms.confirm > 0, terms.confirm < terms.trial {
            throw contradict("--confirm is shorter than one trial", "make it longer, or 0s for none")
        }
        if let wanted = self.atLeast, wanted > terms.to {
            throw contradict("--at-least is above --to: no search could say yes", "raise --to")
        }
    }

    private static func rate(_ text: String, _ option: String) throws(Failure) -> Double {
        let digits = text.hasSuffix("/s") ? String(text.dropLast(2)) : text
        guard let value = Double(digits), value.isFinite, 0.1...1e6 ~= value else {
            throw Failure(.usage, "\(option) \(text) is no load from 0.1 to 1000000", hint: "for example \(option) 500")
        }
        return value
    }

    private static func share(_ text: String, _ option: String, _ range: ClosedRange<Double>) throws(Failure) -> Double {
        let value = text.hasSuffix("%") ? Double(text.dropLast()).map { $0 / 100 } : Double(text)
        guard let value, range ~= value else {
            throw Failure(
                .usage, "\(option) \(text) is no share from \(range.lowerBound) to \(range.upperBound)", hint: "for example 2%")
        }
        return value
    }

    private static func seconds(_ text: String, _ option: String, _ range: ClosedRange<Double>) throws(Failure) -> Double {
        guard let value = Interval(parsing: text)?.seconds, range ~= value else {
            throw Failure(
                .usage, "\(option) \(text) is no time from \(Int(range.lowerBound)) s to \(Int(range.upperBound)) s",
                hint: "for example \(option) 30s")
        }
        return value
    }
}
