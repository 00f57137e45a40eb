"""A Django project as its users write it: registrations in a table, notifications by fcm-django, which is not changed. The library
sends by Google's firebase-admin, which knows Google's hosts by itself, so `pushrig exec` leads it to the mock and says where the
service account is (GOOGLE_APPLICATION_CREDENTIALS). Who FCM says is gone is deleted by the library itself."""

import json
import os
import sys

import django
import firebase_admin
from django.conf import settings
from django.core.management import call_command
from django.http import JsonResponse
from django.urls import path

settings.configure(
    ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="for-tests-only", USE_TZ=True,
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "fcm_django"],
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    DATABASES={"default": {
        "ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["RELAY_DATABASE"],
        "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE"}}},
    FCM_DJANGO_SETTINGS={"DELETE_INACTIVE_DEVICES": True})
django.setup()
firebase_admin.initialize_app()

from django.contrib.auth.models import User  # noqa: E402, a model needs the settings of above
from fcm_django.models import FCMDevice  # noqa: E402
from firebase_admin.messaging import Message, Notification  # noqa: E402


def said(request, *names):
    """The texts of a request's body; none where it is not made of them."""
    try:
        body = json.loads(request.body)
        texts = [body[name] for name in names]
        " ".join(texts).encode()  # half a surrogate is no text
        return texts if all(texts) else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def refused():
    return JsonResponse({"error": "this is no such request"}, status=400)


def device(request, user, device):
    """An app registers, says its next registration, or signs out."""
    if request.method == "DELETE":
        FCMDevice.objects.filter(user__username=user, device_id=device).delete()
        return JsonResponse({"registered": False})
    texts = said(request, "token")
    if texts is None:
        return refused()
    token = texts[0]
    owner, _ = User.objects.get_or_create(username=user)
    FCMDevice.objects.filter(registration_id=token).exclude(user=owner, device_id=device).delete()
    FCMDevice.objects.update_or_create(
        user=owner, device_id=device, defaults={"registration_id": token, "type": "android", "active": True})
    return JsonResponse({"registered": True}, status=201)


def notify(request, user):
    texts = said(request, "title", "text")
    if texts is None:
        return refused()
    message = Message(notification=Notification(title=texts[0], body=texts[1]))
    sent = FCMDevice.objects.filter(user__username=user).send_message(message)
    return JsonResponse({"sent": sent.response.success_count, "failed": sent.response.failure_count})


urlpatterns = [
    path("health", lambda request: JsonResponse({})), path("users/<user>/devices/<device>", device),
    path("users/<user>/notify", notify)]

if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    call_command("runserver", sys.argv[1], use_reloader=False)
