extension ReasonTable {
    /// Every reason, one row each, grouped by what it is about.
    ///
    /// A row's number never changes and is never reused; a new reason takes the next free one.
    /// *Source:* Apple, "Handling notification responses from APNs", the table of error strings;
    /// `BadEnvironmentKeyInToken` is the spelling seen on the wire for
    /// `BadEnvironmentKeyIdInToken`.
    package static let rows: [ReasonRow] = tokenRows + campaignRows + credentialRows + otherRows

    private static let tokenRows: [ReasonRow] = [
        ReasonRow(
            2, 400, "BadDeviceToken", .token, .rejectedToken(kind: .invalid), .never,
            meaning: "The token is malformed or belongs to the other environment.",
            advice: "If many recipients get this, check that the campaign's environment is the one "
                + "the tokens come from; if only a few do, those rows hold bad tokens."),
        ReasonRow(
            7, 400, "DeviceTokenNotForTopic", .token, .rejectedToken(kind: .wrongTopic), .never,
            meaning: "The token belongs to another app than the one named as topic.",
            advice: "If many recipients get this, check the campaign's app; if only a few do, "
                + "those rows are stored under the wrong app."),
        ReasonRow(
            11, 400, "MissingDeviceToken", .ours, .rejected, .never,
            meaning: "The request carried no device token.",
            advice: "Look for a device without a token in the database, and report this as a bug."),
        ReasonRow(
            25, 410, "ExpiredToken", .token, .rejectedToken(kind: .gone), .never,
            meaning: "The token has expired.",
            advice: "Nothing to fix: the device counts as gone until the app registers again."),
        ReasonRow(
            26, 410, "Unregistered", .token, .rejectedToken(kind: .gone), .never,
            meaning: "The token is no longer active for the app.",
            advice: "Nothing to fix: the device counts as gone until the app registers again."),
        ReasonRow(
            29, 429, "TooManyRequests", .device, .retryDevice, .deviceLater,
            meaning: "This one device got too many pushes in a short time.",
            advice: "Nothing to fix for one device; if many get this, send to them less often."),
    ]

    private static let campaignRows: [ReasonRow] = [
        ReasonRow(
            1, 400, "BadCollapseId", .campaign, .stopRun(.campaign), .afterFix,
            meaning: "The collapse id is longer than 64 bytes.",
            advice: "Shorten the collapse id in the campaign file to at most 64 bytes."),
        ReasonRow(
            3, 400, "BadExpirationDate", .campaign, .stopRun(.campaign), .afterFix,
            meaning: "The expiration date cannot be read.",
            advice: "Correct how long the message stays valid in the campaign file."),
        ReasonRow(
            5, 400, "BadPriority", .campaign, .stopRun(.campaign), .afterFix,
            meaning: "The priority is not allowed.",
            advice: "Set the priority in the campaign file to 10, 5 or 1, and to 5 for a "
                + "background push."),
        ReasonRow(
            6, 400, "BadTopic", .campaign, .stopRun(.campaign), .afterFix,
            meaning: "The topic is not a valid one.",
            advice: "Correct the app in the campaign file to the app's bundle id."),
        ReasonRow(
            10, 400, "InvalidPushType", .campaign, .stopRun(.campaign), .afterFix,
            meaning: "The push type is not a valid one.",
            advice: "Set the push type in the campaign file to alert or background."),
        ReasonRow(
            12, 400, "MissingTopic", .campaign, .stopRun(.campaign), .afterFix,
            meaning: "The topic is missing, and the credentials do not settle it.",
            advice: "Name the app's bundle id in the campaign file."),
        ReasonRow(
            13, 400, "PayloadEmpty", .campaign, .stopRun(.campaign), .afterFix,
            meaning: "The message is empty.",
            advice: "Give the message a text, a sound or a badge in the campaign file."),
        ReasonRow(
            14, 400, "TopicDisallowed", .campaign, .stopRun(.campaign), .afterFix,
            meaning: "Pushing to this topic is not allowed with these credentials.",
            advice: "Check that the campaign's app is right, and that the key belongs to the "
                + "developer team of that app and is allowed to send to it."),
        ReasonRow(
            27, 413, "PayloadTooLarge", .campaign, .stopRun(.campaign), .never,
            meaning: "The payload is larger than 4,096 bytes.",
            advice: "Shorten the message's texts or its data in the campaign file."),
    ]

    private static let credentialRows: [ReasonRow] = [
        ReasonRow(
            15, 403, "BadCertificate", .credential, .stopRun(.credential), .afterFix,
            meaning: "The client certificate is bad.",
            advice: "Replace the certificate in the configuration by a valid one."),
        ReasonRow(
            16, 403, "BadCertificateEnvironment", .credential, .stopRun(.credential), .afterFix,
            meaning: "The client certificate is for the other environment.",
            advice: "Use the certificate of the campaign's environment, or correct the "
                + "environment."),
        ReasonRow(
            17, 403, "ExpiredProviderToken", .credential, .renewCredential, .newCredential,
            meaning: "The provider token is older than an hour.",
            advice: "If this repeats, check this machine's clock: a new provider token is made "
                + "by itself."),
        ReasonRow(
            18, 403, "Forbidden", .credential, .stopRun(.credential), .never,
            meaning: "The action is not allowed with these credentials.",
            advice: "Check in Apple's developer account that the key may send pushes to this app."),
        ReasonRow(
            19, 403, "InvalidProviderToken", .credential, .stopRun(.credential), .afterFix,
            meaning: "The provider token is not valid, or its signature cannot be checked.",
            advice: "Check that key file, key id and team id in the configuration belong "
                + "together, and that the key has not been revoked."),
        ReasonRow(
            20, 403, "MissingProviderToken", .credential, .stopRun(.credential), .afterFix,
            meaning: "The request carried neither a provider token nor a client certificate.",
            advice: "Configure a key for this app and environment."),
        ReasonRow(
            21, 403, "UnrelatedKeyIdInToken", .credential, .newConnectionOnce, .newConnection,
            meaning: "The connection was opened with another key, unrelated to this one.",
            advice: "If this repeats, check that one key alone is configured for this app and "
                + "environment."),
        ReasonRow(
            22, 403, "BadEnvironmentKeyIdInToken", .credential, .stopRun(.credential), .afterFix,
            meaning: "The key is limited to the other environment.",
            advice: "Use a key for the campaign's environment, or correct the environment."),
        ReasonRow(
            32, 403, "BadEnvironmentKeyInToken", .credential, .stopRun(.credential), .afterFix,
            meaning: "The key is limited to the other environment.",
            advice: "Use a key for the campaign's environment, or correct the environment."),
        ReasonRow(
            28, 429, "TooManyProviderTokenUpdates", .credential, .backOffCredential,
            .sameCredential,
            meaning: "The provider token is renewed too often; Apple allows once in 20 minutes.",
            advice: "Look for another program that makes provider tokens with the same key, and "
                + "let it share them."),
    ]

    private static let otherRows: [ReasonRow] = [
        ReasonRow(
            4, 400, "BadMessageId", .ours, .stopRun(.ours), .afterFix,
            meaning: "The push's own id is malformed.",
            advice: "Report this as a bug of the program."),
        ReasonRow(
            8, 400, "DuplicateHeaders", .ours, .stopRun(.ours), .afterFix,
            meaning: "A header came twice.",
            advice: "Report this as a bug of the program."),
        ReasonRow(
            9, 400, "IdleTimeout", .transient, .retryOnNewConnection, .newConnection,
            meaning: "The connection was idle for too long.",
            advice: "Nothing to fix: the push is sent again on a new connection."),
        ReasonRow(
            23, 404, "BadPath", .ours, .stopRun(.ours), .afterFix,
            meaning: "The request's path is wrong.",
            advice: "Check that the configured host is Apple's push service, and report this as "
                + "a bug of the program if it is."),
        ReasonRow(
            24, 405, "MethodNotAllowed", .ours, .stopRun(.ours), .afterFix,
            meaning: "The request's method is not POST.",
            advice: "Report this as a bug of the program."),
        ReasonRow(
            30, 500, "InternalServerError", .transient, .retryLater, .later,
            meaning: "Apple's server met a fault of its own.",
            advice: "Nothing to fix: the push is tried again after a quarter of an hour."),
        ReasonRow(
            31, 503, "ServiceUnavailable", .transient, .retryLater, .later,
            meaning: "Apple's service is not available.",
            advice: "Nothing to fix: the push is tried again after a quarter of an hour."),
        ReasonRow(
            33, 503, "Shutdown", .transient, .retryOnNewConnection, .newConnection,
            meaning: "This server of Apple's is shutting down.",
            advice: "Nothing to fix: the push is sent again on a new connection."),
    ]
}
