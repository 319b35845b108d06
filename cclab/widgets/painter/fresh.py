"""What a painting begins with."""

from __future__ import annotations

from cclab.images import Painting, Picture, Stack
from cclab.images.learned import MOST_PIXELS
from cclab.images.recipe import REGIONS
from cclab.session import Session

_SUITING = {"immunohistochemistry": ("Stained", "Rest")}


def session_on(picture: Picture | Stack) -> Session:
    """A new session on a picture or a stack."""
    return Session(Painting(picture))


def suiting_objects(picture: Picture) -> str:
    """What is clustered unless someone asks for something else."""
    height, width = picture.shape
    return "pixels" if height * width <= MOST_PIXELS else "superpixels"


def suiting_regions(picture: Picture | Stack) -> tuple[str, ...]:
    """Names of the regions to begin with."""
    picture = Stack.of(picture)[0]
    return ("Lesion", "Rest") if "lesion" in picture.truth_names else _SUITING.get(picture.name, REGIONS)
