// What ActivityKit asks of a type, for the types of this folder, which are compiled here and read by `SwiftSchemas` too.

protocol ActivityAttributes: Codable {
    associatedtype ContentState: Codable, Hashable
}
