"""Signs requests as botocore does. Reads a JSON list of {method, url, type?, body, date, key, secret, token?, region, service} from
a file, prints the list of the `authorization` of each."""

import json
import sys

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

output = []
for item in json.load(open(sys.argv[1], encoding="utf-8")):
    headers = {"content-type": item["type"]} if item.get("type") else {}
    request = AWSRequest(item["method"], item["url"], headers, item["body"].encode())
    request.context["timestamp"] = item["date"]
    signer = SigV4Auth(Credentials(item["key"], item["secret"], item.get("token")), item["service"], item["region"])
    signer._modify_request_before_signing(request)
    text = signer.string_to_sign(request, signer.canonical_request(request))
    signer._inject_signature_to_request(request, signer.signature(text, request))
    output.append(request.headers["Authorization"])
print(json.dumps(output))
