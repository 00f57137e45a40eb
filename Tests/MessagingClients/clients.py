# FCM's clients, unmodified and with their own defaults, under `pushrig exec`: one line for each thing that they do.
import asyncio
import os

import firebase_admin
from async_firebase import AsyncFirebaseClient
from async_firebase.messages import Message
from firebase_admin import exceptions, messaging
from pyfcm import FCMNotification

TOKEN = "dGVzdC1pbnN0YW5jZQ:APA91bOne"
firebase_admin.initialize_app()


def attempt(message):
    try:
        return "sent " + messaging.send(message).split("/messages/")[0]
    except exceptions.FirebaseError as error:
        return f"{type(error).__name__} {error.http_response.status_code}: {error}"


print("send:", attempt(messaging.Message(token=TOKEN, data={"k": "v"})))
print("topic:", attempt(messaging.Message(topic="news", notification=messaging.Notification("t", "b"))))
print("condition:", attempt(messaging.Message(condition="'a' in topics && 'b' in topics")))
android = messaging.AndroidConfig(ttl=60, priority="high", collapse_key="c", notification=messaging.AndroidNotification(title="t", event_timestamp=None))
print("android:", attempt(messaging.Message(token=TOKEN, android=android)))
apns = messaging.APNSConfig(headers={"apns-priority": "10"}, payload=messaging.APNSPayload(messaging.Aps(alert="x", badge=1)))
print("apns:", attempt(messaging.Message(token=TOKEN, apns=apns)))
print("malformed:", attempt(messaging.Message(token="nope")))
print("reserved:", attempt(messaging.Message(topic="a", data={"from": "x"})))
print("too big:", attempt(messaging.Message(token=TOKEN, data={"k": "v" * 5000})))
messages = [messaging.Message(token=TOKEN + str(number), data={"i": str(number)}) for number in range(500)]
batch = messaging.send_each(messages)
print("each:", batch.success_count, batch.failure_count)
dry = messaging.send_each(messages[:5], dry_run=True)
print("dry:", dry.success_count, dry.failure_count)
joined = messaging.subscribe_to_topic([TOKEN, TOKEN + "1", "nope"], "news")
print("subscribe:", joined.success_count, [error.reason for error in joined.errors])
left = messaging.unsubscribe_from_topic([TOKEN, TOKEN + "1"], "news")
print("unsubscribe:", left.success_count, left.failure_count)


async def at_once():
    batch = await messaging.send_each_async(messages[:100])
    print("async:", batch.success_count, batch.failure_count)
    client = AsyncFirebaseClient()
    client.creds_from_service_account_file(os.environ["GOOGLE_APPLICATION_CREDENTIALS"])
    config = client.build_android_config(priority="high", ttl=60, collapse_key="push", data={"x": "y"}, title="t", body="b")
    answer = await client.send(Message(android=config, token=TOKEN))
    print("async-firebase:", answer.success)
    answer = await client.subscribe_devices_to_topic(device_tokens=[TOKEN], topic_name="more")
    print("async-firebase subscribe:", answer.success_count)


asyncio.run(at_once())
pyfcm = FCMNotification(service_account_file=os.environ["GOOGLE_APPLICATION_CREDENTIALS"], project_id="pushrig-mock")
answer = pyfcm.notify(fcm_token=TOKEN, notification_title="t", notification_body="b", data_payload={"a": "b"})
print("pyfcm:", answer["name"].split("/messages/")[0])
