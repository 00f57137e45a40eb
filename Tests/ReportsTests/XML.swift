// Well-formedness, judged by a parser that is not ours.

import Foundation
import FoundationXML
import Testing

enum XML {
    /// Throws unless the text is one well-formed XML document.
    static func check(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        _ = try parse(text)
    }

    static func parse(_ text: String) throws -> Element {
        let reader = Reader()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = reader
        guard parser.parse(), let root = reader.root else {
            let line = text.split(separator: "\n", omittingEmptySubsequences: false)[max(0, parser.lineNumber - 1)]
            throw Malformed(
                line: parser.lineNumber, column: parser.columnNumber,
                text: String(line.dropFirst(max(0, parser.columnNumber - 80)).prefix(160)))
        }
        return root
    }

    /// Our pages are written so that they are XML once void elements are closed and valueless attributes are gone.
    static func fromHTML(_ text: String) -> String {
        var text = text
        text = text.replacing("<!DOCTYPE html>", with: "")
        text = text.replacing(/<(meta|link|br)( [^>]*)?>/) { "<\($0.1)\($0.2 ?? "")/>" }
        text = text.replacing("<details class=\"card\" open>", with: "<details class=\"card\">")
        text = text.replacing(/<style>[\s\S]*?<\/style>/, with: "")
        return text.replacing(/<script>[\s\S]*?<\/script>/, with: "")
    }

    struct Malformed: Error {
        var line: Int
        var column: Int
        var text: String
    }

    final class Element {
        let name: String
        let attributes: [String: String]
        var children: [Element] = []
        var text = ""

        init(name: String, attributes: [String: String]) {
            self.name = name
            self.attributes = attributes
        }

        /// All descendants of that name.
        func all(_ name: String) -> [Element] {
            children.flatMap { ($0.name == name ? [$0] : []) + $0.all(name) }
        }
    }

    private final class Reader: NSObject, XMLParserDelegate {
        var root: Element?
        private var open: [Element] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            let element = Element(name: name, attributes: attributes)
            open.last?.children.append(element)
            if root == nil { root = element }
            open.append(element)
        }

        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            open.removeLast()
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) { open.last?.text += text }
    }
}
