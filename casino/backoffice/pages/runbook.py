"""The runbook as a page for all staff: where the links of alerts lead."""

import re
from functools import cache
from itertools import pairwise
from typing import Final

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from casino.backoffice.sections import TemplateSection
from casino.backoffice.site import StaffSite
from casino.observability.conditions import anchor

FILE: Final = settings.BASE_DIR / "deploy" / "docs" / "runbook.md"


@cache
def _rendered() -> SafeString:
    """Return the document as HTML, with anchors at its headings as GitHub has them. HTML in it would be escaped."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(FILE.read_text(encoding="utf-8").partition("\n")[2])  # the page has a title
    for token, content in pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", re.sub(r"[^\w\- ]", "", content.content.lower()).replace(" ", "-"))
    return mark_safe(str(markdown.renderer.render(tokens, markdown.options, {})))  # noqa: S308  (our own text)


def runbook_page(request: HttpRequest) -> HttpResponse:
    """Show the runbook."""
    section = TemplateSection("Runbook", "admin/casino/document.html", {"html": _rendered()})
    context = {**admin.site.each_context(request), "title": "Runbook", "sections": [section]}
    return TemplateResponse(request, "admin/casino/sections.html", context)


def runbook_section(_request: HttpRequest, name: str) -> HttpResponse:
    """Lead to the section of a condition, or to the one of this anchor."""
    return HttpResponseRedirect(f"{reverse('admin:runbook')}#{anchor(name)}")


StaffSite.pages += [
    path("runbook/", admin.site.admin_view(runbook_page), name="runbook"),
    path("runbook/<slug:name>/", admin.site.admin_view(runbook_section), name="runbook_section"),
]
