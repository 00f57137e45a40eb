# Pushes as many programs do: to Apple's host, which stands in the code. BEARER is a provider token.
import http.client
import os
import ssl
import sys

import httpx

HEADERS = {"authorization": "bearer " + os.environ["BEARER"], "apns-topic": "com.example.app", "apns-push-type": "alert"}
BODY = b'{"aps":{"alert":"python"}}'

with httpx.Client(http2=True) as client:
    for host, byte in [("api.push.apple.com", "a1"), ("api.sandbox.push.apple.com:2197", "b2")]:
        answer = client.post(f"https://{host}/3/device/{byte * 32}", headers=HEADERS, content=BODY)
        print(host, answer.status_code, answer.http_version)

# Google's names lead to the mock FCM at port 443, and nowhere else.
for host in ["fcm.googleapis.com", "oauth2.googleapis.com", "iid.googleapis.com", "iamcredentials.googleapis.com"]:
    connection = http.client.HTTPSConnection(host, timeout=5, context=ssl.create_default_context())
    connection.request("GET", "/")
    print(host, connection.getresponse().status)
    try:
        http.client.HTTPSConnection(host, 8443, timeout=5).connect()
        sys.exit(host + " answers at another port")
    except ConnectionRefusedError:
        pass
