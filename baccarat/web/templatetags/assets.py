from django import template
from django.conf import settings
from django.templatetags.static import static

register = template.Library()


@register.simple_tag
def asset(name: str) -> str:
    """Return the name under which a static file is served: with its digest in production.

    The page prefixes it by a relative address, so that it works under any path of a proxy.
    """
    return static(name).removeprefix(settings.STATIC_URL)
