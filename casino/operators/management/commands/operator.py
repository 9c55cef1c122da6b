"""`manage.py operator`: manages operators and their keys.

What changes a live operator is requested, and persons confirm it in the admin; only its first key, and the first live
operator, are made at once. What takes power away holds at once.
"""

import json
from argparse import ArgumentParser
from collections.abc import Iterable
from dataclasses import fields
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from casino.events.sql import database_now
from casino.kernel import money
from casino.kernel.errors import Refusal
from casino.operators import (
    assertions,
    bounds,
    brands,
    key_changes,
    memberships,
    notices,
    services,
    set_up,
    signing_keys,
)
from casino.operators.daily_caps import EFFECTS, CapEffect, CapKind
from casino.operators.key_changes import NewSecret
from casino.operators.key_limits import KeyLimits, Movement
from casino.operators.limits_groups import GroupLimits
from casino.operators.models import Change, Operator
from casino.operators.principals import Scope


class Command(BaseCommand):
    help = (
        "Create and change operators, and issue or revoke their API keys. Persons confirm what changes live operators."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        commands = parser.add_subparsers(dest="command", required=True)
        self._add_operator_commands(commands)
        self._add_key_commands(commands)

    def _add_operator_commands(self, commands: Any) -> None:
        create = commands.add_parser("create", help="create an operator and its first key")
        create.add_argument("slug")
        create.add_argument("--name", default="")
        create.add_argument("--currency", required=True, help="codes, comma separated; the first is the default")
        create.add_argument(
            "--sandbox", action="store_true", help="a test operator: credits may be created without a payment"
        )
        create.add_argument("--time-zone", default="UTC", help="time zone of its accounting days, such as Europe/Malta")
        zone = commands.add_parser("zone", help="change the time zone of an operator's accounting days")
        zone.add_argument("slug")
        zone.add_argument("time_zone")
        floor = commands.add_parser("floor", help="set the return below which a real-money spot needs acknowledgement")
        floor.add_argument("slug")
        floor.add_argument("percent", help="such as 75 or 82.5")
        offer = commands.add_parser("currencies", help="offer more currencies, or another one by default")
        offer.add_argument("slug")
        offer.add_argument("currencies", help="all codes, comma separated; the first is the default")
        brand = commands.add_parser("brand", help="create a brand")
        brand.add_argument("slug")
        brand.add_argument("brand", help="slug of the brand")
        brand.add_argument("--name", default="")
        brand.add_argument("--shares-players", action="store_true", help="the operator's players play under it")
        limits = commands.add_parser("limits", help="set the limits of a group of players in a currency")
        limits.add_argument("slug")
        limits.add_argument("group")
        limits.add_argument("currency")
        for field in fields(GroupLimits):
            limits.add_argument(f"--{field.name.replace('_', '-')}", help="an amount; none without")

        cap = commands.add_parser("cap", help="cap the real money that moves in an accounting day of an operator")
        cap.add_argument("slug")
        cap.add_argument("kind", choices=list(CapKind))
        cap.add_argument("currency")
        cap.add_argument("amount", nargs="?", help="an amount; none removes the cap")
        cap.add_argument("--effect", choices=list(EFFECTS[CapKind.WINS]), help="what follows beyond a cap on wins")

    def _add_key_commands(self, commands: Any) -> None:
        key = commands.add_parser("key", help="issue another key")
        key.add_argument("slug")
        key.add_argument("--brand", help="slug of the brand that the key is for")
        key.add_argument("--label", default="")
        key.add_argument("--scope", choices=list(Scope), action="append", help="what it may do; all if none is given")
        key.add_argument("--network", action="append", default=[], help="where it may be used, such as 203.0.113.0/24")
        key.add_argument("--days", type=int, help="when it expires; never if not given")
        for bound in ("--per-request", "--per-day"):
            key.add_argument(bound, action="append", default=[], help="a limit on each movement, such as EUR=500.00")
        staff_key = commands.add_parser("staff-key", help="make a key that signs for a sandbox operator's staff")
        staff_key.add_argument("slug")
        limit = commands.add_parser("key-limit", help="limit the real money that a key moves")
        limit.add_argument("key_id")
        limit.add_argument("movement", choices=list(Movement))
        limit.add_argument("currency")
        limit.add_argument("--per-request", help="an amount; any without")
        limit.add_argument("--per-day", help="an amount in a day (UTC); any without. Neither removes the limit")
        signing = commands.add_parser("signing-key", help="register a public key that signs requests with an API key")
        signing.add_argument("key_id")
        signing.add_argument("jwk", nargs="?", help="an Ed25519 public key as a JWK; none to only require signatures")
        signing.add_argument("--required", action="store_true", help="refuse unsigned requests from now on")
        commands.add_parser("revoke", help="revoke a key at once").add_argument("key_id")

    def handle(self, *args: Any, **options: Any) -> None:
        del args
        commands = {
            "create": self._create,
            "currencies": self._currencies,
            "brand": self._brand,
            "limits": self._limits,
            "cap": self._cap,
            "key": self._key,
            "key-limit": self._key_limit,
            "signing-key": self._signing_key,
            "revoke": self._revoke,
            "staff-key": self._staff_key,
            "zone": self._zone,
            "floor": self._floor,
        }
        try:
            commands[options["command"]](options)
        except Refusal as refusal:
            raise CommandError(refusal.message()) from None

    def _create(self, options: dict[str, Any]) -> None:
        slug = options["slug"]
        operator = set_up.create_operator(
            slug=slug,
            name=options["name"] or slug,
            offered=options["currency"].split(","),
            sandbox=options["sandbox"],
            time_zone=options["time_zone"],
            by=memberships.shell_actor(),
        )
        if isinstance(operator, Change):
            self._print_done("", operator)
            self.stdout.write(f"Once it is confirmed, issue its first key: operator key {slug}")
            return
        self.stdout.write(f"operator {operator.slug} {operator.id}")
        self._issue(operator, label="first")

    def _key(self, options: dict[str, Any]) -> None:
        operator = services.find_operator(slug=options["slug"])
        days = options["days"]
        per_request, per_day = _amounts(options["per_request"]), _amounts(options["per_day"])
        self._issue(
            operator,
            label=options["label"],
            scopes=options["scope"],
            networks=options["network"],
            expires_at=None if days is None else database_now() + timedelta(days=days),
            limits={
                currency: KeyLimits(per_request.get(currency), per_day.get(currency))
                for currency in sorted({*per_request, *per_day})
            },
            brand=brands.find_scope(operator=operator.id, slug=options["brand"]).id if options["brand"] else None,
        )

    def _issue(self, operator: Operator, **terms: Any) -> None:
        self._print_key(key_changes.issue(operator, **terms, by=memberships.shell_actor()))

    def _currencies(self, options: dict[str, Any]) -> None:
        operator = services.find_operator(slug=options["slug"])
        by, codes = memberships.shell_actor(), options["currencies"].split(",")
        change = set_up.offer_currencies(operator, codes=codes, by=by)
        self._print_done(f"operator {operator.slug}: {options['currencies']}", change)

    def _brand(self, options: dict[str, Any]) -> None:
        operator = services.find_operator(slug=options["slug"])
        slug, by = options["brand"], memberships.shell_actor()
        name, shares = options["name"] or slug, options["shares_players"]
        change = set_up.create_brand(operator, slug=slug, name=name, shares_players=shares, by=by)
        self._print_done(f"brand {slug}", change)

    def _limits(self, options: dict[str, Any]) -> None:
        operator, currency = services.find_operator(slug=options["slug"]), options["currency"]
        amounts = {field.name: options[field.name] for field in fields(GroupLimits) if options[field.name] is not None}
        limits = GroupLimits(**{name: money.parse_positive(text, currency) for name, text in amounts.items()})
        by, group = memberships.shell_actor(), options["group"]
        change = bounds.set_limits(operator, name=group, currency=currency, limits=limits, by=by)
        self._print_done(f"limits of {group} in {currency} set", change)

    def _cap(self, options: dict[str, Any]) -> None:
        operator, currency, effect = (
            services.find_operator(slug=options["slug"]),
            options["currency"],
            options["effect"],
        )
        change = bounds.set_cap(
            operator,
            kind=CapKind(options["kind"]),
            currency=currency,
            amount=None if options["amount"] is None else money.parse_positive(options["amount"], currency),
            effect=None if effect is None else CapEffect(effect),
            by=memberships.shell_actor(),
        )
        self._print_done(
            f"cap on {options['kind']} of a day in {currency} {'set' if options['amount'] else 'removed'}", change
        )

    def _zone(self, options: dict[str, Any]) -> None:
        operator, zone = services.find_operator(slug=options["slug"]), options["time_zone"]
        change = set_up.set_time_zone(operator, time_zone=zone, by=memberships.shell_actor())
        self._print_done(f"operator {operator.slug}: time zone {zone}", change)

    def _floor(self, options: dict[str, Any]) -> None:
        operator, percent = services.find_operator(slug=options["slug"]), options["percent"]
        change = bounds.set_return_floor(operator, percent=percent, by=memberships.shell_actor())
        self._print_done(f"operator {operator.slug}: return floor {percent}%", change)

    def _staff_key(self, options: dict[str, Any]) -> None:
        private = assertions.new_sandbox_key(services.find_operator(slug=options["slug"]))
        self.stdout.write(json.dumps(private))

    def _key_limit(self, options: dict[str, Any]) -> None:
        key = services.find_key(options["key_id"])
        movement, currency = Movement(options["movement"]), options["currency"]
        texts = options["per_request"], options["per_day"]
        amounts = [None if text is None else money.parse(text, currency) for text in texts]
        limits = None if amounts == [None, None] else KeyLimits(*amounts)
        by = memberships.shell_actor()
        change = key_changes.set_limit(key, movement=movement, currency=currency, limits=limits, by=by)
        done = f"limit of {key.pk} on each {movement.value} in {currency} {'set' if limits else 'removed'}"
        self._print_done(done, change)

    def _signing_key(self, options: dict[str, Any]) -> None:
        key, jwk, by = services.find_key(options["key_id"]), options["jwk"], memberships.shell_actor()
        if jwk is None and not options["required"]:
            raise CommandError("Give a public key, or --required, or both.")
        if jwk is not None:
            keyid, change = key_changes.add_signing_key(key, jwk=jwk, by=by)
            self._print_done(f"signing key {keyid}", change)
            if change is not None and options["required"]:
                self.stdout.write(f"Once it is confirmed, require signatures: operator signing-key {key.pk} --required")
                return
        if options["required"]:
            signing_keys.require(key_id=key.pk, required=True, by=by)
            self.stdout.write(f"unsigned requests with {key.pk} are refused")

    def _revoke(self, options: dict[str, Any]) -> None:
        services.revoke_key(key_id=options["key_id"], by=memberships.shell_actor())
        self.stdout.write(f"revoked {options['key_id']}")

    def _print_key(self, key: NewSecret) -> None:
        self.stdout.write("Authorization: Bearer " + f"{key.name}.{key.secret}")
        self.stdout.write("This is the only time the secret is shown.")
        if key.change is not None:
            self.stdout.write(f"key {key.name}: {notices.format_request(key.change)}")

    def _print_done(self, done: str, change: Change | None) -> None:
        self.stdout.write(done if change is None else f"operator: {notices.format_request(change)}")


def _amounts(texts: Iterable[str]) -> dict[str, int]:
    """Return the amounts in minor units of texts such as `EUR=500.00`, by currency."""
    pairs = (text.partition("=") for text in texts)
    return {currency: money.parse(amount, currency) for currency, _, amount in pairs}
