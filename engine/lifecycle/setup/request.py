"""Declares what can be asked of the preparation of a workspace."""

from typing import Annotated

from engine.plans.system_request import SystemRequest, option


class InitRequest(SystemRequest, frozen=True):
    """`private`: git encrypts the private folders by git-crypt."""

    private: Annotated[bool, option("Let git encrypt the private folders by git-crypt.")] = False
