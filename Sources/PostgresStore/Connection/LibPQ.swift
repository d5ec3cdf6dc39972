import CPostgres
import Glibc

// DESIGN
// libpq loads some twenty other libraries. A server on SQLite must neither need nor load them, so the program is not
// linked with libpq: it is loaded when a store on PostgreSQL is opened.

/// The functions of libpq that are used.
// Safe because the pointers are set once, to functions of these types in a library that is never unloaded.
@safe final class LibPQ: Sendable {
    typealias Connection = OpaquePointer
    typealias Result = OpaquePointer
    typealias Texts = UnsafePointer<UnsafePointer<CChar>?>

    let connect: @Sendable @convention(c) (Texts?, Texts?, CInt) -> Connection?
    let finish: @Sendable @convention(c) (Connection?) -> Void
    let status: @Sendable @convention(c) (Connection?) -> ConnStatusType
    let transactionStatus: @Sendable @convention(c) (Connection?) -> PGTransactionStatusType
    let errorMessage: @Sendable @convention(c) (Connection?) -> UnsafePointer<CChar>?
    let socket: @Sendable @convention(c) (Connection?) -> CInt
    let setNonblocking: @Sendable @convention(c) (Connection?, CInt) -> CInt
    let setNoticeReceiver:
        @Sendable @convention(c) (Connection?, NoticeReceiver?, UnsafeMutableRawPointer?) -> NoticeReceiver?
    let sendQuery: @Sendable @convention(c) (Connection?, UnsafePointer<CChar>?) -> CInt
    let sendPrepare:
        @Sendable @convention(c) (
            Connection?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, CInt, UnsafePointer<UInt32>?
        ) -> CInt
    let sendQueryPrepared:
        @Sendable @convention(c) (
            Connection?, UnsafePointer<CChar>?, CInt, Texts?, UnsafePointer<CInt>?, UnsafePointer<CInt>?, CInt
        ) -> CInt
    let sendQueryParams:
        @Sendable @convention(c) (
            Connection?, UnsafePointer<CChar>?, CInt, UnsafePointer<UInt32>?, Texts?, UnsafePointer<CInt>?,
            UnsafePointer<CInt>?, CInt
        ) -> CInt
    let enterPipelineMode: @Sendable @convention(c) (Connection?) -> CInt
    let exitPipelineMode: @Sendable @convention(c) (Connection?) -> CInt
    let pipelineSync: @Sendable @convention(c) (Connection?) -> CInt
    let flush: @Sendable @convention(c) (Connection?) -> CInt
    let isBusy: @Sendable @convention(c) (Connection?) -> CInt
    let consumeInput: @Sendable @convention(c) (Connection?) -> CInt
    let getResult: @Sendable @convention(c) (Connection?) -> Result?
    let resultStatus: @Sendable @convention(c) (Result?) -> ExecStatusType
    let resultErrorField: @Sendable @convention(c) (Result?, CInt) -> UnsafeMutablePointer<CChar>?
    let clear: @Sendable @convention(c) (Result?) -> Void
    let rowCount: @Sendable @convention(c) (Result?) -> CInt
    let changedCount: @Sendable @convention(c) (Result?) -> UnsafeMutablePointer<CChar>?
    let isNull: @Sendable @convention(c) (Result?, CInt, CInt) -> CInt
    let length: @Sendable @convention(c) (Result?, CInt, CInt) -> CInt
    let value: @Sendable @convention(c) (Result?, CInt, CInt) -> UnsafeMutablePointer<CChar>?

    /// The library; the failure says how to install it.
    static let loaded = Swift.Result { () throws(PostgresFailure) in try LibPQ() }

    private init() throws(PostgresFailure) {
        guard let library = unsafe dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL) else { throw .noLibrary }
        func symbol<Function>(_ name: String) throws(PostgresFailure) -> Function {
            guard let address = unsafe dlsym(library, name) else { throw .noLibrary }
            return unsafe unsafeBitCast(address, to: Function.self)
        }
        unsafe connect = try unsafe symbol("PQconnectdbParams")
        unsafe finish = try unsafe symbol("PQfinish")
        unsafe status = try unsafe symbol("PQstatus")
        unsafe transactionStatus = try unsafe symbol("PQtransactionStatus")
        unsafe errorMessage = try unsafe symbol("PQerrorMessage")
        unsafe socket = try unsafe symbol("PQsocket")
        unsafe setNonblocking = try unsafe symbol("PQsetnonblocking")
        unsafe setNoticeReceiver = try unsafe symbol("PQsetNoticeReceiver")
        unsafe sendQuery = try unsafe symbol("PQsendQuery")
        unsafe sendPrepare = try unsafe symbol("PQsendPrepare")
        unsafe sendQueryPrepared = try unsafe symbol("PQsendQueryPrepared")
        unsafe sendQueryParams = try unsafe symbol("PQsendQueryParams")
        unsafe enterPipelineMode = try unsafe symbol("PQenterPipelineMode")
        unsafe exitPipelineMode = try unsafe symbol("PQexitPipelineMode")
        unsafe pipelineSync = try unsafe symbol("PQpipelineSync")
        unsafe flush = try unsafe symbol("PQflush")
        unsafe isBusy = try unsafe symbol("PQisBusy")
        unsafe consumeInput = try unsafe symbol("PQconsumeInput")
        unsafe getResult = try unsafe symbol("PQgetResult")
        unsafe resultStatus = try unsafe symbol("PQresultStatus")
        unsafe resultErrorField = try unsafe symbol("PQresultErrorField")
        unsafe clear = try unsafe symbol("PQclear")
        unsafe rowCount = try unsafe symbol("PQntuples")
        unsafe changedCount = try unsafe symbol("PQcmdTuples")
        unsafe isNull = try unsafe symbol("PQgetisnull")
        unsafe length = try unsafe symbol("PQgetlength")
        unsafe value = try unsafe symbol("PQgetvalue")
    }

    /// A sink for notices of the server.
    typealias NoticeReceiver = @convention(c) (UnsafeMutableRawPointer?, Result?) -> Void
}

extension PostgresFailure {
    fileprivate static let noLibrary = PostgresFailure(
        state: "JS003", message: "libpq 14 or later is not installed here: apt install libpq5")
}
