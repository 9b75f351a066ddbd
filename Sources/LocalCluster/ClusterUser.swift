// The user as which the server runs.

internal import Glibc
internal import LinuxIO

/// PostgreSQL refuses to run as root. So if this process is root, the server's programs run as the
/// user `postgres`, which Debian's package creates, and the folder belongs to that user.
package struct ClusterUser: Sendable {
    /// The name for `setpriv`; nil: run as whoever this is.
    let name: String?
    let userID: UInt32
    let groupID: UInt32

    /// Finds the user.
    ///
    /// - Parameter attempted: What is being done, for the error.
    /// - Returns: `postgres` for root, otherwise whoever this is.
    /// - Throws: If this is root and there is no such user.
    package static func current(attempted: String) throws(ClusterError) -> ClusterUser {
        guard geteuid() == 0 else {
            return ClusterUser(name: nil, userID: geteuid(), groupID: getegid())
        }
        // Sound: the entry is static storage of the C library, copied at once.
        guard let entry = unsafe getpwnam("postgres") else {
            throw ClusterError(
                attempted: attempted,
                cause: "PostgreSQL does not run as root, and there is no user postgres",
                advice: "install PostgreSQL from your distribution's package, which creates the "
                    + "user, or run as an ordinary user")
        }
        return unsafe ClusterUser(
            name: "postgres", userID: entry.pointee.pw_uid, groupID: entry.pointee.pw_gid)
    }

    /// The command that runs a program as this user.
    ///
    /// - Parameters:
    ///   - program: Its path.
    ///   - arguments: Without the program's name.
    /// - Returns: The path and arguments to run instead.
    package func command(_ program: String, _ arguments: [String]) -> (String, [String]) {
        guard let name else { return (program, arguments) }
        let options = ["--reuid", name, "--regid", String(groupID), "--init-groups", "--"]
        return ("/usr/bin/setpriv", options + [program] + arguments)
    }

    /// Makes a directory that only this user can enter, or checks that it is one. Directories
    /// above it are made for everybody to pass through, if they do not exist.
    ///
    /// - Parameters:
    ///   - path: The directory.
    ///   - attempted: What is being done, for the error.
    /// - Throws: If it can't be made, or is somebody else's.
    package func makePrivateDirectory(_ path: String, attempted: String) throws(ClusterError) {
        do {
            if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
                try FileContents.makeDirectory(String(path[..<slash]), mode: 0o755)
            }
            try FileContents.makeDirectory(path, mode: 0o700)
        } catch {
            throw ClusterError(attempted: attempted, cause: "\(error)")
        }
        // Not following links: somebody may have put one where we expect our own directory.
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else {
            throw ClusterError(attempted: attempted, cause: "\(path) is not a directory")
        }
        guard facts.st_uid == userID || facts.st_uid == geteuid() else {
            throw ClusterError(attempted: attempted, cause: "\(path) belongs to another user")
        }
        guard unsafe chown(path, userID, groupID) == 0, unsafe chmod(path, 0o700) == 0 else {
            throw ClusterError(
                attempted: attempted,
                cause: "\(SystemError("set owner and mode of", path, code: errno))")
        }
    }

    /// Gives a file to this user.
    func own(_ path: String) {
        // If it fails the server can't read the file and says so by name.
        _ = unsafe chown(path, userID, groupID)
    }

    /// Checks that this user can pass through every directory above a path.
    func requireReachable(_ path: String, attempted: String) throws(ClusterError) {
        guard name != nil else { return }
        var directory = path
        while let slash = directory.lastIndex(of: "/"), slash > directory.startIndex {
            directory = String(directory[..<slash])
            var facts = stat()
            guard unsafe stat(directory, &facts) == 0 else { continue }
            let mayPass =
                facts.st_uid == userID
                ? facts.st_mode & S_IXUSR != 0 : facts.st_mode & S_IXOTH != 0
            guard mayPass else {
                throw ClusterError(
                    attempted: attempted,
                    cause: "the user postgres, as which the server runs when started by root, "
                        + "can not pass through \(directory)",
                    advice: "choose a folder outside of it, such as one under /var/lib")
            }
        }
    }
}
