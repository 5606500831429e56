"""Pairing by code, by address, and giving it up."""

from __future__ import annotations

from handup.core import Role
from tests.page.site import Site


def code(site: Site) -> str:
    return site.access.make_code("ana", Role.RESIDENT)[0]


def test_by_a_code_that_is_typed(site: Site) -> None:
    with site.open(None) as look:
        look.sees("pairing")
        look.press("pair")
        look.says("pairing", "Write the code first")
        look.of("pair-code").fill("AAAAAAAA")
        look.press("pair")
        look.says("pairing", "wrong")
        look.of("pair-code").fill(code(site).lower())
        look.keys("Enter")
        look.sees("waiting")


def test_by_address_and_the_code_is_gone_from_it_at_once(site: Site) -> None:
    with site.open(None, url=f"{site.url}/#code={code(site)}") as look:
        look.sees("waiting")
        assert look.page.url == f"{site.url}/"
        assert look.page.evaluate("history.length") <= 2


def test_to_give_it_up_takes_two_presses(site: Site) -> None:
    with site.open() as look:
        look.press("settings", "leave", "leave-no", "leave", "leave-yes")
        look.sees("pairing")
        look.page.reload()
        look.sees("pairing")


def test_a_device_that_is_shown_the_door_comes_to_pairing(site: Site) -> None:
    with site.open() as look:
        look.sees("waiting")
        for grant in site.access.grants():
            if grant.name == "ana":
                site.access.revoke(grant.id)
        look.sees("pairing")
