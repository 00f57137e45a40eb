// An SVG under construction. Colours and type come from the page's style sheet by class, so that one drawing serves
// light and dark.

import Verdicts

/// Paper to draw on, in one of two shapes: a phone does not get a shrunken desktop.
struct Drawing {
    enum Shape: String, CaseIterable { case wide, narrow }

    let shape: Shape
    let width: Double
    let height: Double
    private let name: String
    private let title: String
    private let summary: String
    private var body = Markup.none
    private var hover: HoverData?
    /// `img`, or `group` where parts of it are told one by one.
    var role = "img"

    /// `name` is unique on the page; `title` and `summary` are what a screen reader says.
    init(_ shape: Shape, name: String, title: String, summary: String, height: Double) {
        self.shape = shape
        self.name = "\(name)-\(shape.rawValue)"
        self.title = title
        self.summary = summary
        self.height = height
        width = shape == .wide ? 960 : 400
    }

    var isWide: Bool { shape == .wide }

    mutating func add(_ markup: Markup) { body += markup }

    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String) {
        body += "<line x1=\"\(x1)\" y1=\"\(y1)\" x2=\"\(x2)\" y2=\"\(y2)\" class=\"\(style)\"/>"
    }

    mutating func rect(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ style: String, tip: String = "") {
        let tipMarkup: Markup = tip.isEmpty ? "" : "<title>\(tip)</title>"
        body += """
            <rect x="\(x)" y="\(y)" width="\(max(width, 0))" height="\(max(height, 0))" \
            class="\(style)">\(tipMarkup)</rect>
            """
    }

    mutating func text(_ x: Double, _ y: Double, _ text: String, _ style: String = "", anchor: String = "start") {
        body += "<text x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\" class=\"\(style)\">\(text)</text>"
    }

    mutating func circle(_ x: Double, _ y: Double, _ radius: Double, _ style: String) {
        body += "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"\(radius)\" class=\"\(style)\"/>"
    }

    /// A line through the points; a single point is drawn as a dot.
    mutating func path(_ points: [(x: Double, y: Double)], _ style: String) {
        guard points.count != 1 else { return circle(points[0].x, points[0].y, 2.5, style + " dot") }
        body += "<path d=\"\(Self.outline(points))\" class=\"\(style)\"/>"
    }

    /// The area between the points and a floor.
    mutating func area(_ points: [(x: Double, y: Double)], floor: Double, _ style: String) {
        guard let first = points.first, let last = points.last, points.count > 1 else { return }
        body += "<path d=\"\(Self.outline(points))L\(last.x) \(floor)L\(first.x) \(floor)Z\" class=\"\(style)\"/>"
    }

    mutating func follow(_ data: HoverData) { hover = data }

    var markup: Markup {
        let data: Markup = hover.map { "data-hover=\"\($0.text)\"" } ?? ""
        return """
            <svg class="\(shape.rawValue)" viewBox="0 0 \(width) \(height)" role="\(role)" \
            aria-labelledby="\(name)-t \(name)-d" \(data)>\
            <title id="\(name)-t">\(title)</title><desc id="\(name)-d">\(summary)</desc>\(body)</svg>

            """
    }

    private static func outline(_ points: [(x: Double, y: Double)]) -> Markup {
        var text = ""
        for (index, point) in points.enumerated() {
            text += (index == 0 ? "M" : "L") + Numbers.coordinate(point.x) + " " + Numbers.coordinate(point.y)
        }
        return Markup(trusted: text)
    }
}
