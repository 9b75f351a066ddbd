import PostgreSQL
import Testing

struct PGTroubleTests {
    @Test(
        arguments: [
            ("40001", .conflict), ("40P01", .conflict), ("26000", .statementForgotten),
            ("42P05", .statementForgotten), ("57P01", .serverStopping), ("57P02", .serverStopping),
            ("57P05", .serverStopping), ("57P03", .serverStarting), ("08006", .connectionLost),
            ("08001", .connectionLost), ("25006", .readOnly), ("53100", .diskFull),
            ("53200", .limitReached), ("53300", .limitReached), ("53400", .limitReached),
            ("57014", .interrupted), ("55P03", .lockNotFree), ("25P03", .transactionTimeout),
            ("25P04", .transactionTimeout), ("23505", .other), ("42601", .other), ("57P04", .other),
            ("08P01", .other), ("28P01", .other), ("3D000", .other), ("25P02", .other),
        ] as [(String, PGTrouble)])
    func kindsAreToldApartBySQLState(sqlState: String, trouble: PGTrouble) {
        let error = PGError(attempted: "x", sqlState: sqlState, message: "y")
        #expect(error.trouble == trouble)
        #expect(error.isRetryable == (trouble != .other))
        #expect(error.needsReconnect == trouble.endsConnection)
        if trouble.endsConnection { #expect(!trouble.passesAtOnce && trouble.mayPass) }
    }

    @Test func aLostConnectionIsTroubleWhateverWasSaidLast() {
        for sqlState in [nil, "08P01", "XX000", "57P04"] {
            let error = PGError(
                attempted: "x", sqlState: sqlState, message: "y", isConnectionLost: true)
            #expect(error.trouble == .connectionLost)
            #expect(error.isRetryable && error.needsReconnect)
        }
        #expect(PGError(attempted: "x", message: "y").trouble == .other)
    }

    @Test func whateverPassesSaysWhatToDoUnlessItPassesAtOnce() {
        for trouble in PGTrouble.allCases where trouble.mayPass {
            #expect((trouble.advice == nil) == trouble.passesAtOnce, "\(trouble)")
        }
    }

    @Test func theTextSaysWhatWhereAndWhatToDo() {
        var error = PGError(attempted: "record_batch", sqlState: "53100", message: "no space")
        error.place = "db1:5432/shop"
        #expect(
            error.description == "record_batch: no space (SQLSTATE 53100), at db1:5432/shop; "
                + "the database server's disk is full; make room there")
    }
}
