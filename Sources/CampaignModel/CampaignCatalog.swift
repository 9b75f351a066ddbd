extension FieldCatalog {
    /// The fields of a campaign file.
    static let campaign = FieldCatalog(
        sections: [
            Section(
                name: "", spoken: "at the top level",
                fields: [
                    "campaign", "app", "environment", "audience", "message", "preflight", "send",
                    "schedule",
                ]),
            Section(name: "audience", fields: ["locales", "registered_within", "where"]),
            Section(
                name: "message",
                fields: [
                    "title", "subtitle", "body", "sound", "badge", "thread_id", "category", "data",
                    "push_type", "priority", "expires_after", "collapse", "content_available",
                    "mutable_content", "translations",
                ]),
            Section(
                name: "message.translations.*", spoken: "in a translation",
                fields: ["title", "subtitle", "body", "data"]),
            Section(
                name: "preflight",
                fields: ["probe", "stale_after", "rate", "burst", "connections", "stop_if"]),
            Section(name: "preflight.stop_if", fields: ["invalid", "gone", "minimum"]),
            Section(
                name: "send",
                fields: [
                    "connections", "rate", "burst", "max_rate", "max_in_flight",
                    "request_timeout", "unconfirmed", "retry", "stop_if", "canary",
                ]),
            Section(name: "send.retry", fields: ["attempts", "within", "delay"]),
            Section(
                name: "send.stop_if", fields: ["invalid", "unknown", "errors", "minimum"]),
            Section(name: "send.canary", fields: ["recipients", "stop_if_rejected"]),
            Section(name: "schedule", fields: ["at", "zone", "not_later_than"]),
        ],
        advices: [
            "sendat": startAdvice, "startat": startAdvice, "startsat": startAdvice,
            "start": startAdvice, "scheduledat": startAdvice, "sendtime": startAdvice,
            "date": startAdvice, "time": startAdvice,
            "tz": zoneAdvice, "timezone": zoneAdvice,
            "deadline": "write \"not_later_than\" in \"schedule\", a duration such as 4h",
            "cron": repeatAdvice, "every": repeatAdvice, "repeat": repeatAdvice,
            "recurrence": repeatAdvice,
            "ratelimit": paceAdvice, "throttle": paceAdvice, "persecond": paceAdvice,
            "name": "the campaign's name is \"campaign\" at the top level",
            "topic": "the bundle id is \"app\" at the top level",
            "apnstopic": "the bundle id is \"app\" at the top level",
            "bundleid": "the bundle id is \"app\" at the top level",
            "bundle": "the bundle id is \"app\" at the top level",
            "sandbox": "write environment: sandbox",
            "production": "write environment: production",
            "aps": "the fields of \"message\" become the aps object; write title and body there",
            "alert": "write title and body in \"message\"",
            "text": "the text is \"body\" in \"message\"",
            "collapseid": "the collapse id is \"collapse\" in \"message\"",
            "apnscollapseid": "the collapse id is \"collapse\" in \"message\"",
            "expiration": "write \"expires_after\" in \"message\", a duration such as 12h",
            "apnsexpiration": "write \"expires_after\" in \"message\", a duration such as 12h",
            "expiresat": "write \"expires_after\" in \"message\", a duration such as 12h",
            "expiry": "write \"expires_after\" in \"message\", a duration such as 12h",
            "ttl": "write \"expires_after\" in \"message\", a duration such as 12h",
            "timetolive": "write \"expires_after\" in \"message\", a duration such as 12h",
            "type": "the push type is \"push_type\" in \"message\"",
            "apnspushtype": "the push type is \"push_type\" in \"message\"",
            "apnspriority": "the priority is \"priority\" in \"message\"",
            "custom": "the app's own keys stand under \"data\" in \"message\"",
            "payload": "the app's own keys stand under \"data\" in \"message\"",
            "locale": "write a list, \"locales\", in \"audience\"",
            "languages": "write \"locales\" in \"audience\", or \"translations\" in \"message\"",
            "timeout": "write \"request_timeout\" in \"send\"",
        ])
    private static let startAdvice =
        "the start is \"at\" in \"schedule\", such as \"2026-12-05T10:00\""
    private static let zoneAdvice =
        "the time zone is \"zone\" in \"schedule\", such as Europe/Budapest"
    private static let repeatAdvice =
        "a campaign is sent once for each start; let cron or a timer start it again"
    private static let paceAdvice =
        "the pace is \"rate\" in \"send\" for each connection, \"max_rate\" for all together"
}
