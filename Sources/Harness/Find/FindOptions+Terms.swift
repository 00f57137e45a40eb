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
        if let width { terms.width = try Self.share(width, "--width", \.width) }
        if let trial { terms.trial = try Self.seconds(trial, "--trial", \.trial) }
        if let sum { terms.sum = try Self.seconds(sum, "--sum", \.sum) }
        if let exceed { terms.exceed = try Self.share(exceed, "--exceed", \.exceed) }
        if let confirm { terms.confirm = try Self.seconds(confirm, "--confirm", \.confirm) }
        if let budget { terms.budget = try Self.seconds(budget, "--budget", \.budget) }
        givesBudget = budget != nil
        if let atLeast { self.atLeast = try Self.rate(atLeast, "--at-least") }
        if let (message, hint) = terms.contradiction { throw Failure(.usage, message, hint: hint) }
        if let wanted = self.atLeast, wanted > terms.to {
            throw Failure(.usage, "--at-least is above --to: no search could say yes", hint: "raise --to")
        }
    }

    private static func rate(_ text: String, _ option: String) throws(Failure) -> Double {
        let digits = text.hasSuffix("/s") ? String(text.dropLast(2)) : text
        guard let value = Double(digits), CapacityTerms.range(\.from) ~= value else {
            throw Failure(.usage, "\(option) \(text) is no load from 0.1 to 1000000", hint: "for example \(option) 500")
        }
        return value
    }

    private static func share(
        _ text: String, _ option: String, _ path: WritableKeyPath<CapacityTerms, Double>
    ) throws(Failure) -> Double {
        let range = CapacityTerms.range(path)
        let value = text.hasSuffix("%") ? Double(text.dropLast()).map { $0 / 100 } : Double(text)
        guard let value, range ~= value else {
            throw Failure(
                .usage, "\(option) \(text) is no share from \(range.lowerBound) to \(range.upperBound)", hint: "for example 2%")
        }
        return value
    }

    private static func seconds(
        _ text: String, _ option: String, _ path: WritableKeyPath<CapacityTerms, Double>
    ) throws(Failure) -> Double {
        let range = CapacityTerms.range(path)
        guard let value = Interval(parsing: text)?.seconds, range ~= value else {
            throw Failure(
                .usage, "\(option) \(text) is no time from \(Int(range.lowerBound)) s to \(Int(range.upperBound)) s",
                hint: "for example \(option) 30s")
        }
        return value
    }
}
