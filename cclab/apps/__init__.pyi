# The apps, for type checkers; `cclab/apps/__init__.py` reads from here where each is to be found.
from .ask_me import ask_me as ask_me
from .compare import compare as compare
from .credal import credal as credal
from .how_many import how_many as how_many
from .painter import painter as painter
from .workbench import workbench as workbench

__all__ = ["workbench", "painter", "compare", "ask_me", "how_many", "credal"]

def is_built(name: str) -> bool: ...
def preload() -> None: ...
