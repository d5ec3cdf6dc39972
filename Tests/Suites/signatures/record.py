"""Writes vectors.json: requests signed by the libraries of those who receive them.

pip install standardwebhooks svix stripe slack_sdk cryptography
python record.py >vectors.json
"""

import base64
import hashlib
import hmac
import json
from datetime import datetime, timezone

import stripe
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from slack_sdk.signature import SignatureVerifier
from standardwebhooks import Webhook
from svix.webhooks import Webhook as SvixWebhook

NOW = 1_764_000_000
KEY = "whsec_" + base64.b64encode(bytes(range(24))).decode()
BODIES = [b'{"id":"evt_1","type":"paid"}', '{"é":"\u2028 ü","n":1.0}'.encode(), b"", b"token=a%20b&text=%2Fdeploy+now"]
cases = []


def case(name, verify, secrets, headers, body):
    cases.append({
        "name": name, "verify": verify, "secrets": secrets, "headers": headers,
        "body": base64.b64encode(body).decode(), "at": NOW * 1000})


def secret(name="key"):
    return {"$secret": name}


def standard(number, body):
    text, moment = body.decode(), datetime.fromtimestamp(NOW, timezone.utc)
    verify = {"scheme": "standard_webhooks", "key": secret()}
    signature = Webhook(KEY).sign("msg_1", moment, text)
    fields = {"webhook-id": "msg_1", "webhook-timestamp": str(NOW), "webhook-signature": signature}
    case(f"standardwebhooks {number}", verify, {"key": KEY}, fields, body)
    signature = SvixWebhook(KEY).sign("msg_2", moment, text)
    fields = {"svix-id": "msg_2", "svix-timestamp": str(NOW), "svix-signature": f"v1,AAAA {signature}"}
    case(f"svix {number}", verify, {"key": KEY}, fields, body)
    private = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    public = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    signed = base64.b64encode(private.sign(f"msg_3.{NOW}.".encode() + body)).decode()
    fields = {"webhook-id": "msg_3", "webhook-timestamp": str(NOW), "webhook-signature": f"v1a,{signed}"}
    case(f"ed25519 {number}", verify, {"key": "whpk_" + base64.b64encode(public).decode()}, fields, body)


def others(number, body):
    signature = stripe.WebhookSignature._compute_signature(f"{NOW}.{body.decode()}", "whsec_stripe")
    field = f"t={NOW},v1={'0' * 64},v1={signature},v0={'1' * 64}"
    stripe.WebhookSignature.verify_header(body.decode(), field, "whsec_stripe")
    case(f"stripe {number}", {"scheme": "stripe", "key": secret()}, {"key": "whsec_stripe"},
         {"Stripe-Signature": field}, body)
    signature = SignatureVerifier("slack key").generate_signature(timestamp=str(NOW), body=body)
    case(f"slack {number}", {"scheme": "slack", "key": secret()}, {"key": "slack key"},
         {"X-Slack-Signature": signature, "X-Slack-Request-Timestamp": str(NOW)}, body)
    for digest in ("sha1", "sha256", "sha512"):
        message = b"v0:" + str(NOW).encode() + b":" + body
        signature = "v0=" + hmac.new(b"own key", message, digest).hexdigest()
        verify = {"scheme": "hmac", "key": secret(), "header": "X-Own-Signature", "prefix": "v0=", "digest": digest,
                  "signed": [{"text": "v0"}, "timestamp", "body"], "separator": ":", "timestamp_header": "X-Own-Time"}
        case(f"hmac {digest} {number}", verify, {"key": "own key"},
             {"x-own-signature": signature, "x-own-time": str(NOW)}, body)
    signature = base64.b64encode(hmac.new(b"shop key", body, hashlib.sha256).digest()).decode()
    case(f"shopify {number}", {"scheme": "shopify", "key": secret()}, {"key": "shop key"},
         {"X-Shopify-Hmac-Sha256": signature}, body)


for number, body in enumerate(BODIES):
    standard(number, body)
    others(number, body)
# https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries#testing-the-webhook-payload-validation
case("github's example", {"scheme": "github", "key": secret()}, {"key": "It's a Secret to Everybody"},
     {"X-Hub-Signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"},
     b"Hello, World!")
print(json.dumps(cases, indent=1, ensure_ascii=True))
