// A case of the profile's own: a scenario file by which `pushrig check` asks a relay something beside what it asks all.

/// One entry of a profile's `cases`. Its scenario is played with the relay that is checked, whatever relay it names itself.
package struct ProfileCase: Hashable, Sendable {
    /// Lower-case letters, digits and hyphens.
    package var name: String
    /// What the relay is asked, as one sentence.
    package var question: String
    /// The scenario's file, from the folder of the profile's.
    package var path: String
    /// Rules or claims that it is about; empty: those that the scenario names.
    package var exercises: [String] = []
    /// A profile of the same relay that has the calls which the scenario makes; nil: this one.
    package var profile: String?
    /// Where it stands: `file:line:column`.
    package var place: String
}
