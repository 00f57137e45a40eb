// The text format of Prometheus, version 0.0.4, read strictly: what a page breaks is an error with the line.

/// What a page says.
struct Exposition {
    struct Sample: Hashable {
        var name: String
        var labels: [String: String]
        var value: Double
    }

    struct Family {
        var type = ""
        var help = ""
        var samples: [Sample] = []
    }

    struct Wrong: Error, CustomStringConvertible {
        var description: String
    }

    private(set) var families: [String: Family] = [:]
    /// In the order of the page.
    private(set) var names: [String] = []

    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Wrong(description: "the last line does not end") }
        var current = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            func wrong(_ words: String) -> Wrong { Wrong(description: "\(words): \(line)") }
            if line.hasPrefix("# HELP ") {
                let parts = line.dropFirst(7).split(separator: " ", maxSplits: 1)
                guard parts.count == 2, Self.isName(parts[0]) else { throw wrong("bad HELP") }
                guard families[String(parts[0])] == nil else { throw wrong("two families of one name") }
                current = String(parts[0])
                families[current] = Family(help: String(parts[1]))
                names.append(current)
            } else if line.hasPrefix("# TYPE ") {
                let parts = line.dropFirst(7).split(separator: " ")
                guard parts.count == 2, parts[0] == current, families[current]?.type == "", families[current]?.samples == [],
                    ["counter", "gauge", "histogram"].contains(parts[1])
                else { throw wrong("bad TYPE") }
                families[current]?.type = String(parts[1])
            } else {
                let sample = try Self.sample(line)
                guard let family = families[current], !family.type.isEmpty else { throw wrong("a sample without a type") }
                let suffixes = family.type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
                guard suffixes.contains(where: { current + $0 == sample.name }) else { throw wrong("a sample of another family") }
                guard !family.samples.contains(where: { $0.name == sample.name && $0.labels == sample.labels }) else {
                    throw wrong("a sample twice")
                }
                families[current]?.samples.append(sample)
            }
        }
        for (name, family) in families { try Self.check(name, family) }
    }

    subscript(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        let family = families[name] ?? families.first { name.hasPrefix($0.key + "_") }?.value
        return family?.samples.first { $0.name == name && $0.labels == labels }?.value
    }

    private static func check(_ name: String, _ family: Family) throws {
        guard !family.samples.isEmpty else { throw Wrong(description: "\(name) has no samples") }
        if family.type == "counter" {
            guard name.hasSuffix("_total"), family.samples.allSatisfy({ $0.value >= 0 }) else {
                throw Wrong(description: "\(name) is no counter")
            }
        } else if name.hasSuffix("_total") {
            throw Wrong(description: "\(name) is named as a counter")
        }
        guard family.type == "histogram" else { return }
        let buckets = family.samples.filter { $0.name == name + "_bucket" }
        let bounds = try buckets.map { bucket in
            guard bucket.labels.count == 1, let bound = bucket.labels["le"].flatMap(number) else {
                throw Wrong(description: "\(name) has a bucket without `le`")
            }
            return bound
        }
        let counts = buckets.map(\.value)
        guard bounds.last == .infinity, zip(bounds, bounds.dropFirst()).allSatisfy({ $0 < $1 }),
            zip(counts, counts.dropFirst()).allSatisfy({ $0 <= $1 }),
            family.samples.first(where: { $0.name == name + "_count" })?.value == counts.last,
            family.samples.contains(where: { $0.name == name + "_sum" })
        else { throw Wrong(description: "\(name) is no histogram") }
    }

    private static func number(_ text: String) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: text.contains { $0.isLetter && $0 != "e" } ? nil : Double(text)
        }
    }

    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.unicodeScalars.first, isNameScalar(first), !("0"..."9").contains(first) else { return false }
        return text.unicodeScalars.allSatisfy(isNameScalar)
    }

    private static func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar) || "_:".unicodeScalars.contains(scalar)
    }

    private static func sample(_ line: Substring) throws -> Sample {
        func wrong(_ words: String) -> Wrong { Wrong(description: "\(words): \(line)") }
        var rest = line.unicodeScalars[...]
        let name = String(String.UnicodeScalarView(rest.prefix(while: isNameScalar)))
        guard isName(name[...]) else { throw wrong("bad name") }
        rest = rest.dropFirst(name.unicodeScalars.count)
        var labels: [String: String] = [:]
        if rest.first == "{" {
            rest = rest.dropFirst()
            while rest.first != "}" {
                let key = String(String.UnicodeScalarView(rest.prefix(while: isNameScalar)))
                rest = rest.dropFirst(key.unicodeScalars.count)
                guard isName(key[...]), !key.contains(":"), rest.popFirst() == "=", rest.popFirst() == "\"" else {
                    throw wrong("bad label")
                }
                var value = String.UnicodeScalarView()
                while let scalar = rest.popFirst(), scalar != "\"" {
                    guard scalar == "\\" else {
                        value.append(scalar)
                        continue
                    }
                    switch rest.popFirst() {
                    case "\\": value.append("\\")
                    case "\"": value.append("\"")
                    case "n": value.append("\n")
                    default: throw wrong("bad escape")
                    }
                }
                guard labels.updateValue(String(value), forKey: key) == nil else { throw wrong("a label twice") }
                guard let next = rest.first, next == "," || next == "}" else { throw wrong("bad end of a label") }
                if next == "," { rest = rest.dropFirst() }
            }
            rest = rest.dropFirst()
        }
        guard rest.popFirst() == " ", let value = number(String(String.UnicodeScalarView(rest))) else { throw wrong("bad value") }
        return Sample(name: name, labels: labels, value: value)
    }
}
