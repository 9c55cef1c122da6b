"""The two kinds of credentials in the OpenAPI document."""

from typing import Any, Final

from drf_spectacular.extensions import OpenApiAuthenticationExtension

OPERATOR_KEY: Final = {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": "op_<key id>.<secret>",
    "description": "The operator's server. Keep the secret out of browsers.",
}
PLAYER_TOKEN: Final = {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": "pt_<token>",
    "description": "A player's browser, with the short-lived token that the operator's server obtained.",
}


class OperatorKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """`operatorKey`."""

    target_class = "casino.operators.auth.OperatorKeyAuthentication"
    name = "operatorKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        del auto_schema
        return OPERATOR_KEY


class PlayerTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """`playerToken`."""

    target_class = "casino.operators.auth.PlayerTokenAuthentication"
    name = "playerToken"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        del auto_schema
        return PLAYER_TOKEN


class OperatorOrPlayerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Either of the two, which are described above."""

    target_class = "casino.operators.auth.OperatorOrPlayerAuthentication"
    name: list[str] = []

    def get_security_requirement(self, auto_schema: Any) -> list[dict[str, list[Any]]]:
        del auto_schema
        return [{"operatorKey": []}, {"playerToken": []}]

    def get_security_definition(self, auto_schema: Any) -> list[dict[str, str]]:
        """Add no description of its own."""
        del auto_schema
        return []
