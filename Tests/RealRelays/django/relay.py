"""A Django project as its users write it: devices in a table, alerts by django-push-notifications, which is not changed.
The library knows Apple's hosts by itself, so `pushrig exec` leads it to the mock. Settings come from `--print-env`'s names."""

import json
import os
import sys

import django
from django.conf import settings
from django.core.management import call_command
from django.http import JsonResponse
from django.urls import path

settings.configure(
    ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="for-tests-only", USE_TZ=True,
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "push_notifications"],
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    DATABASES={"default": {
        "ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["RELAY_DATABASE"],
        "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE"}}},
    PUSH_NOTIFICATIONS_SETTINGS={
        "APNS_AUTH_KEY_PATH": os.environ["APNS_KEY_FILE"], "APNS_AUTH_KEY_ID": os.environ["APNS_KEY_ID"],
        "APNS_TEAM_ID": os.environ["APNS_TEAM_ID"], "APNS_TOPIC": os.environ["APNS_TOPIC"], "UNIQUE_REG_ID": True})
django.setup()

from push_notifications.exceptions import APNSError  # noqa: E402, a model needs the settings of above
from push_notifications.models import APNSDevice  # noqa: E402


def register(request, user):
    token = json.loads(request.body)["token"]
    APNSDevice.objects.update_or_create(registration_id=token, defaults={"name": user, "active": True})
    return JsonResponse({"registered": True}, status=201)


def unregister(request, user, token):
    APNSDevice.objects.filter(name=user, registration_id=token).delete()
    return JsonResponse({"registered": False})


def notify(request, user):
    try:
        results = APNSDevice.objects.filter(name=user).send_message(json.loads(request.body)["text"]) or []
        return JsonResponse({"sent": len(results)})
    except APNSError as error:
        return JsonResponse({"sent": 0, "error": str(error)})


urlpatterns = [
    path("health", lambda request: JsonResponse({})), path("users/<user>/devices", register),
    path("users/<user>/devices/<token>", unregister), path("users/<user>/notify", notify)]

if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    call_command("runserver", sys.argv[1], use_reloader=False)
