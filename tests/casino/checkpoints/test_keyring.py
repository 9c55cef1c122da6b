"""Keys from outside: the first signs, all are trusted, and nothing half right is taken."""

from dataclasses import replace

import pytest
from django.core.exceptions import ImproperlyConfigured

from casino.checkpoints import keyring
from casino.checkpoints.document import signed_bytes
from tests.casino.checkpoints.test_document import ONE

# RFC 8032, 7.1, tests 1 and 2.
FIRST = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
FIRST_PUBLIC = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
SECOND = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"


def signed(own, key):
    made = replace(ONE, key=key)
    return replace(made, signature=own.sign(signed_bytes(made)))


def test_the_first_key_signs_and_its_public_half_is_the_standards():
    own = keyring.parse(f"new:{FIRST}, old:{SECOND}", "")
    assert own.active == "new"
    assert own.public["new"].hex() == FIRST_PUBLIC
    assert own.verifies(signed(own, "new"))


def test_a_public_half_alone_is_enough_to_trust():
    made = signed(keyring.parse(f"new:{FIRST}", ""), "new")
    assert keyring.parse("none", f"new:{FIRST_PUBLIC}").verifies(made)


def test_another_key_or_another_name_or_another_word_is_not_trusted():
    own = keyring.parse(f"new:{FIRST},old:{SECOND}", "")
    made = signed(own, "new")
    assert not own.verifies(replace(made, key="old"))
    assert not own.verifies(replace(made, key="nobody"))
    assert not own.verifies(replace(made, position=made.position + 1))
    assert not keyring.parse(f"new:{SECOND}", "").verifies(made)


def test_a_fresh_key_is_a_ring_of_its_own():
    one, other = keyring.generate_key("a"), keyring.generate_key("a")
    assert one != other
    assert keyring.parse(one, "").active == "a"


def test_a_process_may_have_no_private_key_if_it_says_so():
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
def test_what_is_no_ring_stops_the_start(private, public):
    with pytest.raises(ImproperlyConfigured):
        keyring.parse(private, public)
