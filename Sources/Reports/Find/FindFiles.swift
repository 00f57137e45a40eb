// The files of a search: `find.json`, whole at any instant, and `curve.html`.

package import Basics
import OperatingSystem
package import Verdicts

package enum FindFiles {
    /// Bytes of a find.json that is read.
    private static let limit = 64 << 20

    package static func write(_ record: FindRecord, to folder: String) throws(Failure) {
        try ReportFiles.write(record.json.encoded(pretty: true) + [10], to: folder + "/find.json")
        try ReportFiles.write(Array(CurvePage(record: record).text.utf8), to: folder + "/curve.html")
    }

    /// `folder` is a search's. Throws where none was, or where it is of a newer version.
    package static func read(at folder: String) throws(Failure) -> FindRecord {
        let path = folder + "/find.json"
        let bytes: [UInt8]
        do { bytes = try FileSystem.read(path, limit: limit) } catch {
            throw Failure(
                .usage, "cannot read \(path): \(error.words)", hint: "name the folder that `pushrig find` told")
        }
        let json: JSONValue
        do { json = try JSONValue(parsing: bytes.span) } catch {
            throw Failure(.usage, "not JSON: \(error.message)", place: "\(path):\(error.line):\(error.column)")
        }
        do { return try FindRecord(json: json) } catch {
            var failure = error
            failure.place = path
            throw failure
        }
    }
}
