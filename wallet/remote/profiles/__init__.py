"""The vocabularies in which operators' own wallets are asked."""

from collections.abc import Mapping
from typing import Final

from wallet.funding.events import WalletProfile
from wallet.remote.profiles.hub88 import Hub88
from wallet.remote.profiles.standard import Profile, Standard

PROFILES: Final[Mapping[WalletProfile, Profile]] = {
    WalletProfile.STANDARD: Standard(),
    WalletProfile.HUB88: Hub88(),
}
