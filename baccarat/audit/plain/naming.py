"""Shoes of single rounds as the usual course names them: one ahead of each round, as text, by table."""

from uuid import UUID

import msgspec

from baccarat.audit.plain import forms as f
from baccarat.audit.plain.seating import Seating
from baccarat.audit.traces import CommittedShoe, TableTrace
from baccarat.domain.rules.table_rules import ShoeShape


class Names:
    """The shoe that each table has named for its next round. `shoes` are all shoes and commitments used so far.

    What is noted here is told to the table only when somebody else is to go on from there (`tell`).
    """

    def __init__(self, shoes: set[str]) -> None:
        self._shoes = shoes
        self._named: dict[str, f.NamedShoe] = {}

    def learn(self, table: TableTrace) -> None:
        """Note what a table has named so far."""
        coming = table.next_shoe
        if coming is not None and coming.shape is not None and not table.has_long_shoe:
            self._named[str(table.opened.table)] = f.NamedShoe(
                coming.commitment,
                f.ShoeShape(coming.shape.burn, coming.shape.cut_cards_from_end, coming.shape.decks),
                str(coming.shoe),
            )

    def is_usual(self, event: f.RoundOpened, known: Seating) -> bool:
        """Tell whether a round has the shoe named for it and names another that was never seen before.

        Tables with long shoes name none; where none was ever named, the round's own must be one never seen before.
        """
        following, shape = event.next_shoe, known.shape
        if shape is None:
            return not following
        named, shoes = self._named.get(event.table), self._shoes
        if named is None:
            return following is msgspec.UNSET and not known.table.commits_ahead and self._is_first(event)
        if not isinstance(following, f.NamedShoe):
            return False
        return (
            event.shoe == named.shoe
            and event.commitment == named.commitment
            and named.shape == shape
            and following.shape == shape
            and following.shoe not in shoes
            and following.commitment not in shoes
            and following.shoe != following.commitment
            and f.is_id(following.shoe) is not None
        )

    def _is_first(self, event: f.RoundOpened) -> bool:
        own, shoes = event.commitment, self._shoes
        if own is None or event.shoe in shoes or own in shoes or event.shoe == own:
            return False
        return f.is_id(event.shoe) is not None

    def follow(self, event: f.RoundOpened) -> None:
        """Note the shoe that a usual round has named, or brought where none was named."""
        following = event.next_shoe
        if isinstance(following, f.NamedShoe):
            self._named[event.table] = following
            self._shoes.add(following.shoe)
            self._shoes.add(following.commitment)
        elif event.commitment is not None:
            self._shoes.add(event.shoe)
            self._shoes.add(event.commitment)

    def tell(self, table: TableTrace) -> None:
        """Tell a table the shoe that its last usual round has named, and forget it here."""
        named = self._named.pop(str(table.opened.table), None)
        if named is not None:
            shape = ShoeShape(named.shape.decks, named.shape.cut_cards_from_end, named.shape.burn)
            table.next_shoe = CommittedShoe(UUID(named.shoe), table.rounds + 1, named.commitment, shape=shape)
            table.commits_ahead = table.shapes = True
