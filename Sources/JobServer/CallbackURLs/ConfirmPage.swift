import HTTPMessage
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// The page that asks a person before a callback URL does something: opening it does nothing, also not for the scanners
/// and previews that open each link.
enum ConfirmPage {
    /// `GET /callbacks/{token}`
    static func handle(_ context: RequestContext) throws(Problem) {
        let token = try CallbackTarget.token(context.parameter, context.server)
        let server = context.server
        let isAccepted = server.reads.threads.run { reader in
            context.attempt { () throws(Problem) in
                let target = try CallbackTarget(token, reader, server)
                guard target.rules.confirm else { throw noPage(target) }
                var standing = try stored(reader.callback(of: token.job, token.place))
                standing?.enter(try: target.retries)
                show(target, standing, context)
            }
        }
        guard isAccepted else {
            throw Problem(.overloaded, "Too many requests are being read at once. Send it again.")
        }
    }

    private static func noPage(_ target: CallbackTarget) -> Problem {
        let allowed = target.rules.methods.joined(separator: ", ")
        return Problem(
            .methodNotAllowed, "Reading this URL does nothing. The sender sends \(allowed)."
        ).field("Allow", allowed)
    }

    private static func show(
        _ target: CallbackTarget, _ standing: CallbackStanding?, _ context: RequestContext
    ) {
        let name = PersonPage.escaped(target.operation.name)
        let job = PersonPage.escaped(target.job.name)
        if standing?.isCompleted == true {
            return page(context, .ok, "Done", "<p>\(name) of \(job) was confirmed.</p>")
        }
        if target.isOver || standing?.taken != nil || standing?.closedAt != nil {
            return page(
                context, .gone, "Too late",
                "<p>\(name) of \(job) is no longer waiting: nothing came in time, it failed, or it was stopped. "
                    + "Nothing can be changed here. Ask the sender of the link whether there is anything left to do.</p>"
            )
        }
        page(
            context, .ok, "Confirm \(name)",
            """
            <p>\(job) waits for a person to confirm \(name).</p>
            <form method="post"><input type="hidden" name="confirmed" value="true"><button>Confirm</button></form>
            """)
    }

    /// Answers a form.
    /// - Parameter isIgnored: the wait goes on.
    static func answer(_ context: RequestContext, _ status: HTTPStatus, isIgnored: Bool) {
        if isIgnored {
            return page(
                context, status, "Recorded",
                "<p>It did not end the wait: the job waits for something else. Ask the sender of the link what is "
                    + "missing.</p>")
        }
        page(context, status, "Done", "<p>Thank you. You may close this page.</p>")
    }

    private static func page(
        _ context: RequestContext, _ status: HTTPStatus, _ title: String, _ content: String
    ) {
        context.answer(PersonPage.response(status, title, content))
    }
}
