"""Skins of the table page: an operator's colours and logos."""

import base64
from typing import Annotated, Any, Final

from django.urls import reverse
from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat import acts
from baccarat.services import logos, skins
from baccarat.services.logos import LogoNotAccepted
from baccarat.services.skins import ColourMissing, ContrastTooLow, Skin, TooManySkins, UnknownSkin
from casino.api.openapi import operation
from casino.api.requests import Body, parse_body, verbatim
from casino.api.shapes import ItemList, Shape, Timestamp
from casino.kernel.conversion import Malformed
from casino.kernel.errors import Fault
from casino.operators.base_views import OperatorView
from casino.operators.refusals import InvalidSlug

_COLOURS: Final = {"felt-1": "#7b2d5b", "felt-2": "#571f41", "felt-3": "#2c0f21", "print": "#fbe9f2"}
EXAMPLE: Final[dict[str, Any]] = {"colours": _COLOURS, "round": 4}


Colour = Annotated[str, Meta(pattern=rf"^{skins.COLOUR_PATTERN}\Z", description="In lower case.", examples=["#571f41"])]


class SkinRequest(Body):
    """A whole skin; it replaces the earlier one."""

    colours: Annotated[
        dict[str, Colour],
        Meta(
            description="Those that differ from the ordinary ones, by custom property of the page's style sheets. "
            + " ".join(f"`{name}`: {text}" for name, text in skins.COLOURS.items()),
            extra_json_schema={"propertyNames": {"enum": list(skins.COLOURS)}},
        ),
    ]
    round: Annotated[
        Annotated[int, Meta(ge=0, le=skins.MAX_RADIUS)] | None, Meta(description="The radius of corners, in pixels.")
    ] = None
    logo: Annotated[str, verbatim(logos.MAX_BYTES * 4 // 3 + 4, "A PNG as base64. None by default.")] | None = None

    def __post_init__(self) -> None:
        """Refuse names of other properties, and a logo that is no base64. Raises Malformed."""
        unknown = self.colours.keys() - skins.COLOURS.keys()
        faults = [Fault(f"colours.{name}", "unknown_field", "is not a field here") for name in sorted(unknown)]
        try:
            self.png()
        except ValueError:  # binascii.Error, and what is not ASCII
            faults.append(Fault("logo", "field_invalid", "must be base64"))
        if faults:
            raise Malformed(*faults)

    def png(self) -> bytes:
        """Decode the logo."""
        return base64.b64decode(self.logo or "", validate=True)


class SkinResponse(Shape):
    """The looks of the table page for launches with this skin."""

    name: Annotated[str, Meta(examples=["standard"])]
    colours: Annotated[dict[str, str], Meta(description="By custom property.", examples=[_COLOURS])]
    round: Annotated[int | None, Meta(description="The radius of corners, in pixels.", examples=[4])]
    stylesheet_url: Annotated[
        str, Meta(examples=["https://casino.example/play/skins/0199f3a2/3f5c9e0d1b2a4c6e8f70.css"])
    ]
    logo_url: Annotated[
        str | None, Meta(examples=["https://casino.example/play/skins/0199f3a2/9d1b2a4c6e8f703f5c9e.png"])
    ]
    changed_at: Timestamp

    @classmethod
    def of(cls, skin: Skin, request: Request) -> "SkinResponse":
        """Present a skin."""
        properties = dict(skin.properties)
        sheet, logo = skins.files(skin)

        def address(name: str) -> str:
            return request.build_absolute_uri(reverse("play-skin", kwargs={"skin": skin.id, "name": name}))

        return cls(
            name=skin.name,
            round=properties.pop(skins.RADIUS, None),
            colours=properties,
            stylesheet_url=address(sheet),
            logo_url=None if logo is None else address(logo),
            changed_at=skin.changed_at,
        )


class SkinList(ItemList[SkinResponse]):
    """All your skins, by name."""


class SkinsView(OperatorView):
    """The caller's skins."""

    tag = "operators"

    @operation(
        "listSkins",
        "List your skins",
        description="The looks of the table page that your launches can name.",
        returns=SkinList,
    )
    def get(self, request: Request) -> Response:
        rows = skins.list_skins(operator=self.caller.operator)
        return Response(SkinList.of(SkinResponse.of(skin, request) for skin in rows))


class SkinView(OperatorView):
    """One of the caller's skins."""

    act = acts.CHANGE_SKIN
    tag = "operators"

    @operation(
        "getSkin",
        "Show one of your skins",
        description="Its colours, and the addresses of its files, which never change what they contain.",
        returns=SkinResponse,
        refusals=(UnknownSkin,),
    )
    def get(self, request: Request, name: str) -> Response:
        return Response(SkinResponse.of(skins.find(operator=self.caller.operator, name=name), request))

    @operation(
        "setSkin",
        "Set a skin",
        description=(
            "Launches name it in `skin`. Without one they have the skin that is named as their brand's slug, else the "
            "one named `standard`. Words must stand out from their background by WCAG AA, so some colours are set in "
            "pairs. The logo is re-encoded from its pixels."
        ),
        request=SkinRequest,
        example=EXAMPLE,
        returns=SkinResponse,
        refusals=(InvalidSlug, ColourMissing, ContrastTooLow, LogoNotAccepted, TooManySkins),
    )
    def put(self, request: Request, name: str) -> Response:
        body, me = parse_body(SkinRequest, request), self.caller
        skin = skins.change(
            operator=me.operator,
            name=name,
            colours=body.colours,
            radius=body.round,
            logo=body.png(),
            by=me.actor,
        )
        return Response(SkinResponse.of(skin, request))

    @operation(
        "removeSkin",
        "Remove a skin",
        description="Pages that were launched with it have the ordinary looks when they are loaded again.",
        responses={204: None},
        refusals=(UnknownSkin,),
    )
    def delete(self, _request: Request, name: str) -> Response:
        skins.remove(operator=self.caller.operator, name=name, by=self.caller.actor)
        return Response(status=204)
