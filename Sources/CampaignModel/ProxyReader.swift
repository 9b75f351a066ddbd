/// Reads a proxy's URL: `http://HOST:PORT` and nothing else.
enum ProxyReader {
    private static let wanted = "http://HOST:PORT, as in http://proxy.example:3128"

    /// Reads it. A value with user and password is never shown.
    static func read(_ value: FieldValue) -> Configuration.Proxy? {
        guard let text = value.text() else { return nil }
        guard !text.contains("@") else {
            value.fail(
                "user and password do not belong here, where others can read them, and sortie does "
                    + "not log in to proxies; write \(wanted), of a proxy that lets this machine in"
            )
            return nil
        }
        guard let (scheme, authority) = split(text) else {
            value.failKind(wanted)
            return nil
        }
        guard scheme == "http" else {
            value.fail(
                "found \(value.shown); only HTTP proxies are used, by CONNECT, and the connection "
                    + "to the proxy itself is plain; write \(wanted)")
            return nil
        }
        guard let proxy = proxy(authority) else {
            value.failKind(wanted)
            return nil
        }
        return proxy
    }

    /// Scheme and authority of a URL without a path; one slash at its end is none.
    private static func split(_ url: String) -> (scheme: String, authority: Substring)? {
        guard let colon = url.firstIndex(of: ":") else { return nil }
        let rest = url[url.index(after: colon)...]
        guard rest.hasPrefix("//") else { return nil }
        let authority = rest.dropFirst(2)
        return (
            url[..<colon].lowercased(), authority.hasSuffix("/") ? authority.dropLast() : authority
        )
    }

    private static func proxy(_ authority: Substring) -> Configuration.Proxy? {
        guard let colon = authority.lastIndex(of: ":") else { return nil }
        let digits = authority[authority.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits),
            port > 0, let host = host(authority[..<colon])
        else { return nil }
        return Configuration.Proxy(host: host, port: port)
    }

    /// A name or an IPv4 address as it stands, or an IPv6 address out of its brackets.
    private static func host(_ text: Substring) -> String? {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let host = isBracketed ? text.dropFirst().dropLast() : text
        let isPlain = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: ":"): isBracketed
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return isPlain && !host.isEmpty && host.utf8.count <= 255 ? String(host) : nil
    }
}
