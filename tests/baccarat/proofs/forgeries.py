"""All forgeries of golden files: importing their modules lists them."""

from tests.baccarat.proofs import (
    forgeries_of_closings,
    forgeries_of_cosignatures,
    forgeries_of_drawings,
    forgeries_of_files,
    forgeries_of_forcing,
    forgeries_of_lists,
    forgeries_of_order,
    forgeries_of_play,
    forgeries_of_replacements,
    forgeries_of_shoes,
    forgeries_of_spots,
    forgeries_of_terms,
    forgeries_of_witnesses,
)
from tests.baccarat.proofs.forging import FORGERIES

__all__ = ["FORGERIES"]
MODULES = (
    forgeries_of_closings,
    forgeries_of_cosignatures,
    forgeries_of_drawings,
    forgeries_of_files,
    forgeries_of_forcing,
    forgeries_of_lists,
    forgeries_of_order,
    forgeries_of_play,
    forgeries_of_replacements,
    forgeries_of_shoes,
    forgeries_of_spots,
    forgeries_of_terms,
    forgeries_of_witnesses,
)
