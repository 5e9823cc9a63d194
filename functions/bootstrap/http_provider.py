"""Somebody else's service as the provider of points and coupons, imported only where the stack has one."""

from functools import cache

from adapters.http_operations import HttpOperations
from adapters.http_provider import HttpProvider
from adapters.secret import Secret
from bootstrap.clients import secretsmanager
from bootstrap.clock import real_time
from bootstrap.settings import setting


@cache
def http_provider() -> HttpProvider:
    name = setting("PROVIDER_SECRET")
    token = Secret(lambda: secretsmanager().get_secret_value(SecretId=name)["SecretString"])
    return HttpProvider(HttpOperations(setting("PROVIDER_URL"), token, now=real_time))
