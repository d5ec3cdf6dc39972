"""What a program does with the client that openapi-python-client makes: URL of the server, URL of a target."""

import importlib
import pkgutil
import sys

import attrs_client
from attrs_client import Client, models
from attrs_client.api.control import cancel_job, send_signal
from attrs_client.api.jobs import (explain_job, list_artifacts, list_attempts, list_events, list_jobs, list_operations,
                                   read_artifact, read_error, read_job, read_result, read_spec, submit_batch,
                                   submit_job)
from attrs_client.api.people import approve, decide_grant, list_approvals, list_grants, read_approval
from attrs_client.api.server import check_ready, list_origins, read_metrics, read_problem
from attrs_client.api.settings import list_connections, list_secrets, put_connection, put_secret
from attrs_client.api.templates import list_templates, put_template, run_template
from attrs_client.models import (Backoff, Dependency, DependencyEnd, Expect, ExpressionCondition, GroupMap,
                                 HMACAuth, JobFact, Predicate, Redirects, Request, Retry, SuccessOfSome,
                                 Timeouts, ValueOperation)

url, target = sys.argv[1:]
client = Client(base_url=url, raise_on_unexpected_status=True)
for module in pkgutil.walk_packages(attrs_client.__path__, "attrs_client."):
    importlib.import_module(module.name)


def run(spec):
    """Submits a job and waits until it is over."""
    job = submit_job.sync(client=client, body=spec, prefer="wait=10")
    assert isinstance(job, models.Job), job
    while not job.done:
        job = read_job.sync(job.id, client=client, prefer="wait=10")
    return job


def succeed(spec, want):
    """A job that succeeds: its result, byte for byte."""
    job = run(spec)
    assert job.state == "succeeded", (spec, job)
    answer = read_result.sync_detailed(job.id, client=client)
    assert answer.status_code == 200 and answer.parsed.payload.getvalue() == answer.content, answer
    assert want in answer.content, (want, answer.content)
    assert isinstance(read_spec.sync(job.id, client=client), models.StoredSpec)
    print("ok:", spec.type_)
    return job


get = f"{target}/json"
succeed(models.NetworkJob(type_="network", request=get), b"slideshow")
succeed(models.NetworkJob(
    type_="network", name="post", labels=models.Labels.from_dict({"team": "finance"}),
    request=Request(method="POST", url=f"{target}/anything", json={"a": 1}, redirects=Redirects(),
                    auth=HMACAuth(type_="hmac", key="k"), idempotency_key="auto"),
    conditions=[ExpressionCondition(type_="expression", that=Predicate(job=JobFact.NAME, equals="post"))],
    expect=Expect(status=[200, "2xx"], content_type="application/json"),
    retry=Retry(max_attempts=2, backoff=Backoff(initial="1s"), on=["connect.*", 503]),
    timeouts=Timeouts(total="10s")), b'"a": 1')
download = succeed(models.DownloadJob(type_="download", request=f"{target}/range/2000"), b"abcdef")
succeed(models.DelayJob(type_="delay", for_="10ms", input_={"x": 1}), b'{"x":1}')
succeed(models.ValueJob(type_="value", value=[1, 2]), b"[1,2]")
succeed(models.MapJob(type_="map", input_=[1, 2, 3], reduce=models.ReductionName.SUM), b"6")
one = ValueOperation(type_="value", name="one", value=1)
two = ValueOperation(type_="value", name="two", value=2, after=[Dependency(operation="one", on=DependencyEnd.FINISHED)])
group = succeed(models.GroupJob(type_="group", operations=[one, two], succeed_when=SuccessOfSome(at_least=2)), b'"two":2')
succeed(models.GroupJob(type_="group", map_=GroupMap(
    items=[1, 2], operation=ValueOperation(type_="value", value={"$item": ""}))), b"[1,2]")
succeed(models.GateJob(type_="gate", when=Predicate(job=JobFact.PRIORITY, equals=5), operation=one), b"1")
succeed(models.RepeatJob(type_="repeat", times=2, operation=one), b"1")
succeed(models.PollJob(type_="poll", request=get, until=Predicate(at="/status", equals=200)), b"slideshow")
succeed(models.NotifyJob(type_="notify", request=f"{target}/post", message="done"), b"done")

template = models.TemplateBody.from_dict({
    "parameters": {"n": {"type": "integer", "required": True}},
    "operation": {"type": "value", "value": {"$param": "n"}}})
assert isinstance(put_template.sync("attrs", client=client, body=template), models.Template)
succeed(models.WrapperJob(type_="wrapper", template="attrs", params=models.Entries.from_dict({"n": 7})), b"7")
made = run_template.sync("attrs", client=client, body=models.TemplateRun(params=models.Entries.from_dict({"n": 8})))
assert isinstance(made, models.Job), made

waiting = submit_job.sync(client=client, body=models.AwaitJob(type_="await", signal="paid"))
assert isinstance(send_signal.sync(waiting.id, "paid", client=client, body={"amount": 12}), models.Job)
over = read_job.sync(waiting.id, client=client, prefer="wait=10")
assert over.state == "succeeded" and over.result.inline == {"amount": 12}, over
print("ok: await")

failed = run(models.NetworkJob(type_="network", request=f"{target}/status/404"))
error = read_error.sync(failed.id, client=client)
assert isinstance(error, models.AOperationError) and error.code == "http.status", error
assert error.upstream.status == 404 and error.delivery == models.Delivery.ANSWERED, error
assert isinstance(read_result.sync(failed.id, client=client), models.Problem)
attempt = list_attempts.sync(failed.id, client=client).items[0].attempt
assert attempt.status == 404 and attempt.error.code == "http.status", attempt
assert len(list_events.sync(failed.id, client=client).items) > 2
assert [item.path for item in list_operations.sync(group.id, client=client).items][1:] == ["one", "two"]
print("ok: error")

plan = submit_job.sync(client=client, body=models.NetworkJob(type_="network", request=get), validate_only=True)
assert isinstance(plan, models.Plan) and plan.operations[0].retry.max_attempts == 5, plan
problem = submit_job.sync(client=client, body=models.DelayJob(type_="delay", for_="soon"))
assert isinstance(problem, models.Problem) and problem.errors[0].pointer == "/for", problem
batch = submit_batch.sync(client=client, body=[models.DelayJob(type_="delay", for_="1h"), models.ValueJob("value", 1)])
assert batch.accepted == 2, batch
assert cancel_job.sync(batch.items[0].job.id, client=client, body=models.CancelRequest(reason="no")).id
assert put_secret.sync("attrs", client=client, body=models.SecretText(text="s")).kind == "text"
page = list_jobs.sync(client=client, page_size=2)
assert len(page.items) == 2 and page.next_page_token, page
print("ok: plan, problem, batch, cancel, secret, list")

full = read_job.sync(failed.id, client=client, view=models.JobView.FULL)
assert full.effective.operations[0].retry["max_attempts"].value == 5, full
held = submit_job.sync(client=client, body=models.NetworkJob(
    type_="network", request=get, conditions=[models.ApprovalCondition(type_="approval", prompt="Call?")]))
while not held.waiting_on or held.waiting_on[0].kind != "approval":
    held = read_job.sync(held.id, client=client, prefer="wait=1")
assert explain_job.sync(held.id, client=client).causes[0].kind == "approval"
asked = list_approvals.sync(client=client, job=held.id).items[0]
assert asked.request.url == get and read_approval.sync(asked.id, client=client).state == "open", asked
given = approve.sync(asked.id, client=client, body=models.ApprovalAnswer(comment="yes"))
assert given.state == models.ApprovalState.APPROVED, given
artifact = list_artifacts.sync(download.id, client=client).items[0]
assert read_artifact.sync(download.id, artifact.name, client=client).payload.read(6) == b"abcdef"
decision = models.GrantDecision(status=models.GrantAnswer.GRANTED, scopes=["send"])
assert decide_grant.sync("attrs", client=client, body=decision).scopes == ["send"]
connection = models.ConnectionBody(base_url=target, auth=models.BasicAuth(type_="basic", username="a", password={
    "$secret": "attrs"}))
assert put_connection.sync("attrs", client=client, body=connection).connection.auth.username == "a"
for lists in list_grants, list_secrets, list_connections, list_templates, list_origins:
    assert lists.sync(client=client).items, lists
assert read_problem.sync("job-not-found", client=client).status == 404
assert "jobserver_jobs" in read_metrics.sync(client=client) and check_ready.sync(client=client).status
print("ok: approvals, artifacts, settings, server")
