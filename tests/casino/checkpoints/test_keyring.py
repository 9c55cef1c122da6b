"""The keyring: the first key signs, all are trusted, and malformed settings are refused."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from casino.checkpoints import keyring

# RFC 8032, 7.1, tests 1 and 2.
FIRST = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
FIRST_PUBLIC = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
SECOND = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"


MESSAGE = b"what is signed"


def test_the_first_key_signs_and_its_public_half_matches_the_standard():
    ring = keyring.parse(f"new:{FIRST}, old:{SECOND}", "")
    assert ring.active == "new"
    assert ring.public["new"].hex() == FIRST_PUBLIC
    assert ring.has_signed("new", ring.sign(MESSAGE), MESSAGE)


def test_a_public_key_alone_is_enough_to_verify():
    signature = keyring.parse(f"new:{FIRST}", "").sign(MESSAGE)
    assert keyring.parse("none", f"new:{FIRST_PUBLIC}").has_signed("new", signature, MESSAGE)


def test_another_key_another_name_or_another_message_is_not_verified():
    ring = keyring.parse(f"new:{FIRST},old:{SECOND}", "")
    signature = ring.sign(MESSAGE)
    assert not ring.has_signed("old", signature, MESSAGE)
    assert not ring.has_signed("nobody", signature, MESSAGE)
    assert not ring.has_signed("new", signature, MESSAGE + b".")
    assert not keyring.parse(f"new:{SECOND}", "").has_signed("new", signature, MESSAGE)


def test_a_generated_key_is_new_and_a_valid_setting():
    one, other = keyring.generate_key("a"), keyring.generate_key("a")
    assert one != other
    assert keyring.parse(one, "").active == "a"


def test_a_process_may_declare_that_it_has_no_private_key():
    assert keyring.parse("none", "").active == ""


@pytest.mark.parametrize(
    ("private", "public"),
    [
        (FIRST, ""),
        (f":{FIRST}", ""),
        (f"a:{FIRST[2:]}", ""),
        ("a:zz", ""),
        (f"a:{FIRST},a:{SECOND}", ""),
        (f"a:{FIRST}", f"a:{SECOND}"),
        (f"ä:{FIRST}", ""),
    ],
)
def test_a_malformed_keyring_stops_the_start(private, public):
    with pytest.raises(ImproperlyConfigured):
        keyring.parse(private, public)
