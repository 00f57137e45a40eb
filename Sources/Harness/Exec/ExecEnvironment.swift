// What a program is told by its environment about whom to trust, and whom to call itself.

/// One program's environment.
struct ExecEnvironment {
    /// Files that the program can read.
    var bundle: String
    var authority: String
    var trustStore: String
    var trustPassword: String
    /// Of the mock FCM; nil: there is none, and what the program has stays.
    var serviceAccount: String?

    /// Authorities: all of them, for what takes one file instead of the system's.
    static let bundleVariables = [
        // OpenSSL, and so Python, Ruby, PHP, .NET and curl; Go; rustls-native-certs
        "SSL_CERT_FILE",
        "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "HTTPLIB2_CA_CERTS", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    ]
    /// For what adds one to its own.
    static let authorityVariables = ["NODE_EXTRA_CA_CERTS", "DENO_CERT"]

    /// `own` with what leads the program to the mock.
    func variables(beside own: [String: String]) -> [(name: String, value: String)] {
        var all = own
        for name in Self.bundleVariables { all[name] = bundle }
        for name in Self.authorityVariables { all[name] = authority }
        let java = [
            "-Djavax.net.ssl.trustStore=\(trustStore)", "-Djavax.net.ssl.trustStoreType=PKCS12",
            "-Djavax.net.ssl.trustStorePassword=\(trustPassword)",
        ]
        all["JAVA_TOOL_OPTIONS"] = (Self.words(own["JAVA_TOOL_OPTIONS"], " ") + java).joined(separator: " ")
        if let serviceAccount { all["GOOGLE_APPLICATION_CREDENTIALS"] = serviceAccount }
        // A proxy looks names up by itself, and would find the real ones.
        for name in ["no_proxy", "NO_PROXY"] {
            all[name] = (Self.words(own[name], ",") + ProviderName.all.map(\.name)).joined(separator: ",")
        }
        return all.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    private static func words(_ text: String?, _ separator: Character) -> [String] {
        (text ?? "").split(separator: separator).map(String.init)
    }
}
