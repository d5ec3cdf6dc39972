"""What a program does with the client that openapi-generator makes: URL of the server, URL of a target."""

import importlib
import pkgutil
import sys

import pydantic_client as c
from pydantic_client import models

url, target = sys.argv[1:]
for module in pkgutil.walk_packages(c.__path__, "pydantic_client."):
    importlib.import_module(module.name)
client = c.ApiClient(c.Configuration(host=url))
jobs, control = c.JobsApi(client), c.ControlApi(client)


def run(spec):
    """Submits a job and waits until it is over."""
    answer = jobs.submit_job(c.JobSpec(spec), prefer="wait=10")
    job = getattr(answer, "actual_instance", answer)
    assert isinstance(job, c.Job), job
    while not job.done:
        job = jobs.read_job(job.id, prefer="wait=10")
    return job


def succeed(spec, want):
    """A job that succeeds: its result, byte for byte."""
    job = run(spec)
    assert job.state == "succeeded", (spec, job)
    result = jobs.read_result(job.id)
    assert want in bytes(result), (want, result)
    assert jobs.read_spec(job.id).type == spec.type
    print("ok:", spec.type)
    return job


def value(**members):
    """A value as a member of a group."""
    return c.OperationSpec(c.ValueOperation(type="value", **members))


get = c.RequestOrURL(f"{target}/json")
succeed(c.NetworkJob(type="network", request=get), b"slideshow")
succeed(c.NetworkJob(
    type="network", name="post", labels={"team": "finance"},
    request=c.RequestOrURL(c.Request(
        method="POST", url=f"{target}/anything", var_json={"a": 1}, redirects=c.RedirectsOrCount(c.Redirects()),
        auth=c.Auth(c.HMACAuth(type="hmac", key="k")), idempotency_key="auto")),
    conditions=[c.Condition(c.ExpressionCondition(type="expression", that=c.Predicate(job=c.JobFact.NAME, equals="post")))],
    expect=c.Expect(status=c.ExpectedStatuses([c.ExpectedStatus(200), c.ExpectedStatus("2xx")]),
                    content_type=c.ExpectedTypes("application/json")),
    retry=c.Retry(max_attempts=2, backoff=c.BackoffOrDuration(c.Backoff(initial="1s")),
                  on=[c.RetryMatcher("connect.*"), c.RetryMatcher(503)]),
    timeouts=c.Timeouts(total="10s")), b'"a": 1')
download = succeed(c.DownloadJob(type="download", request=c.RequestOrURL(f"{target}/range/2000")), b"abcdef")
succeed(c.DelayJob(type="delay", var_for="10ms", input={"x": 1}), b'{"x":1}')
succeed(c.ValueJob(type="value", value=[1, 2]), b"[1,2]")
succeed(c.MapJob(type="map", input=[1, 2, 3], reduce=c.ReductionOrName(c.ReductionName.SUM)), b"6")
two = value(name="two", value=2, after=[c.DependencyOrName(c.Dependency(operation="one", on=c.DependencyEnd.FINISHED))])
group = succeed(c.GroupJob(type="group", operations=[value(name="one", value=1), two],
                           succeed_when=c.SuccessRule(c.SuccessOfSome(at_least=2))), b'"two":2')
succeed(c.GroupJob(type="group", map=c.GroupMap(items=[1, 2], operation=value(value={"$item": ""}))), b"[1,2]")
succeed(c.GateJob(type="gate", when=c.Predicate(job=c.JobFact.PRIORITY, equals=5), operation=value(value=1)), b"1")
succeed(c.RepeatJob(type="repeat", times=2, operation=value(value=1)), b"1")
succeed(c.PollJob(type="poll", request=get, until=c.Predicate(at="/status", equals=200)), b"slideshow")
succeed(c.NotifyJob(type="notify", request=c.RequestOrURL(f"{target}/post"), message="done"), b"done")

templates = c.TemplatesApi(client)
body = c.TemplateBody(parameters={"n": c.TemplateParameter(type="integer", required=True)},
                      operation={"type": "value", "value": {"$param": "n"}})
assert isinstance(templates.put_template("pydantic", body), c.Template)
succeed(c.WrapperJob(type="wrapper", template="pydantic", params={"n": 7}), b"7")
assert isinstance(templates.run_template("pydantic", template_run=c.TemplateRun(params={"n": 8})), c.Job)

waiting = jobs.submit_job(c.JobSpec(c.AwaitJob(type="await", signal="paid")))
assert isinstance(control.send_signal(waiting.id, "paid", {"amount": 12}), c.Job)
over = jobs.read_job(waiting.id, prefer="wait=10")
assert over.state == "succeeded" and over.result.inline == {"amount": 12}, over
print("ok: await")

failed = run(c.NetworkJob(type="network", request=c.RequestOrURL(f"{target}/status/404")))
error = jobs.read_error(failed.id)
assert isinstance(error, c.AOperationError) and error.code == "http.status", error
assert error.upstream.status == 404 and error.delivery == c.Delivery.ANSWERED, error
try:
    jobs.read_result(failed.id)
    raise AssertionError("a job without a result has one")
except c.exceptions.NotFoundException as answer:
    assert isinstance(answer.data, c.Problem) and answer.data.code == "job.no_result", answer
attempt = jobs.list_attempts(failed.id).items[0].attempt
assert attempt.status == 404 and attempt.error.code == "http.status", attempt
assert len(jobs.list_events(failed.id).items) > 2
assert [item.path for item in jobs.list_operations(group.id).items][1:] == ["one", "two"]
print("ok: error")

plan = jobs.submit_job(c.JobSpec(c.NetworkJob(type="network", request=get)), validate_only=True)
plan = getattr(plan, "actual_instance", plan)
assert isinstance(plan, c.Plan) and plan.operations[0].retry.max_attempts == 5, plan
try:
    jobs.submit_job(c.JobSpec(c.DelayJob(type="delay", var_for="1s", until="2030-01-01T00:00:00Z")))
    raise AssertionError("a delay has two ends")
except c.exceptions.ApiException as answer:
    assert answer.status == 422 and isinstance(answer.data, c.Problem) and answer.data.errors, answer
batch = jobs.submit_batch([c.JobSpec(c.DelayJob(type="delay", var_for="1h")), c.JobSpec(c.ValueJob(type="value", value=1))])
assert batch.accepted == 2, batch
assert control.cancel_job(batch.items[0].job.id, c.CancelRequest(reason="no")).id
assert c.SettingsApi(client).put_secret("pydantic", c.SecretBody(c.SecretText(text="s"))).kind == "text"
page = jobs.list_jobs(page_size=2)
assert len(page.items) == 2 and page.next_page_token, page
print("ok: plan, problem, batch, cancel, secret, list")

full = jobs.read_job(failed.id, view=c.JobView.FULL)
assert full.effective.operations[0].retry["max_attempts"].value == 5, full
asks = c.Condition(c.ApprovalCondition(type="approval", prompt="Call?"))
held = jobs.submit_job(c.JobSpec(c.NetworkJob(type="network", request=get, conditions=[asks])))
while not held.waiting_on or held.waiting_on[0].kind != "approval":
    held = jobs.read_job(held.id, prefer="wait=1")
assert jobs.explain_job(held.id).causes[0].kind == "approval"
people = c.PeopleApi(client)
asked = people.list_approvals(job=held.id).items[0]
assert asked.request.url == f"{target}/json" and people.read_approval(asked.id).state == "open", asked
assert people.approve(asked.id, c.ApprovalAnswer(comment="yes")).state == c.ApprovalState.APPROVED
artifact = jobs.list_artifacts(download.id).items[0]
assert bytes(jobs.read_artifact(download.id, artifact.name))[:6] == b"abcdef"
assert people.decide_grant("pydantic", c.GrantDecision(status=c.GrantAnswer.GRANTED, scopes=["send"])).scopes == ["send"]
settings, server = c.SettingsApi(client), c.ServerApi(client)
basic = c.Auth(c.BasicAuth(type="basic", username="a", password={"$secret": "pydantic"}))
connection = settings.put_connection("pydantic", c.ConnectionBody(base_url=target, auth=basic))
assert connection.connection.auth.actual_instance.username == "a", connection
for lists in (people.list_grants, settings.list_secrets, settings.list_connections, templates.list_templates,
              server.list_origins):
    assert lists().items, lists
assert server.read_problem("job-not-found").status == 404
assert "jobserver_jobs" in server.read_metrics() and server.check_ready().status
print("ok: approvals, artifacts, settings, server")
