internal import CLinux
internal import Glibc

/// The call that makes a child process.
enum Spawn {
    /// Starts a program in a session of its own; see `ChildProcess` for what it inherits.
    ///
    /// - Parameters:
    ///   - executable: a path, or a name to be found in `PATH`.
    ///   - arguments: without the program's name.
    ///   - environment: set in addition to this process's own.
    ///   - output: an open descriptor for its standard output and error; closed here in any case.
    /// - Returns: the child's process number.
    /// - Throws: `SystemError` when the program can't be run.
    static func start(
        _ executable: String, _ arguments: [String], environment: [String: String], output: Int32
    ) throws(SystemError) -> Int32 {
        let output = OwnedDescriptor(owning: output)
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe prepare(&actions, &attributes, output: output.raw)
        var processID: pid_t = 0
        // Sound: the lists and structures live until the call has returned.
        let code = unsafe withCStrings([executable] + arguments) { arguments in
            unsafe withCStrings(merged(environment)) { environment in
                unsafe posix_spawnp(
                    &processID, executable, &actions, &attributes, arguments, environment)
            }
        }
        unsafe posix_spawn_file_actions_destroy(&actions)
        unsafe posix_spawnattr_destroy(&attributes)
        guard code == 0 else { throw SystemError("run", executable, code: code) }
        return processID
    }

    /// Says what the child shall have: `/dev/null`, the output twice, and nothing else.
    private static func prepare(
        _ actions: inout posix_spawn_file_actions_t, _ attributes: inout posix_spawnattr_t,
        output: Int32
    ) {
        // Sound: all of these fill the two structures, which outlive the calls. They can only fail
        // for lack of memory, and then the child merely inherits more.
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 2)
        unsafe posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        unsafe posix_spawnattr_init(&attributes)
        var none = sigset_t()
        var all = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        let flags = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | shim_POSIX_SPAWN_SETSID
        unsafe posix_spawnattr_setflags(&attributes, flags)
    }

    /// This process's environment with some names set anew, as "NAME=value".
    private static func merged(_ additions: [String: String]) -> [String] {
        var lines = additions.map { "\($0.key)=\($0.value)" }
        var next = unsafe environ
        // Sound: the C library's list ends with NULL; nothing in this program changes it.
        while let entry = unsafe next.pointee {
            let line = unsafe String(cString: entry)
            let name = line.prefix { $0 != "=" }
            if additions[String(name)] == nil { lines.append(line) }
            unsafe next += 1
        }
        return lines
    }
}

/// Lends a NULL-terminated list of C strings for the time of a call.
private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    // Sound: strdup's copies are freed below, when `body` has returned; the NULL ends the list.
    var pointers = unsafe strings.map { unsafe strdup($0) }
    unsafe pointers.append(nil)
    let result = unsafe body(pointers)
    unsafe pointers.forEach { unsafe free($0) }
    return result
}
