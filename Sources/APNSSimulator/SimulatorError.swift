package import LinuxIO
package import TLS

/// Why a simulator could not be set up. What happens on a connection is never thrown.
package enum SimulatorError: Error, Sendable, CustomStringConvertible {
    /// The system refused a socket, a thread or a file.
    case system(SystemError)
    /// OpenSSL could not make or use keys and certificates.
    case tls(TLSError)

    /// What was attempted, on what, and why it failed.
    package var description: String {
        switch self {
        case .system(let error): error.description
        case .tls(let error): error.description
        }
    }
}
