"""What two persons agree on about a player's protection is requested for an operator's own players only."""

from uuid import UUID

import pytest

from casino.operators.models import Change
from casino.operators.refusals import UnknownPlayer
from tests.wallet.ledger.world import ALICE, OPERATOR
from tests.wallet.payments.counter import open_alice
from wallet.responsible_gaming import changes


@pytest.mark.django_db
@pytest.mark.parametrize(("operator", "player"), [(UUID(int=99), ALICE), (OPERATOR, UUID(int=99))])
def test_nobody_unfreezes_a_player_whom_the_operator_does_not_have(operator: UUID, player: UUID) -> None:
    open_alice()
    with pytest.raises(UnknownPlayer):
        changes.request_unfreeze(operator=operator, player=player, by="staff:1")
    assert not Change.objects.exists()
